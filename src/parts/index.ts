/** The parts of the library as values: for the light entries, which have only those that they are given. */

import type { Part } from '../core/policy/parts.js';
import * as every from './all.js';

export type { Part, PartName } from '../core/policy/parts.js';

/** The check of policies. Unless `process.env.NODE_ENV` is `'production'`, the light entries have it anyway. */
export const check: Part<'check'> = every.check;

/** `rules`, and their patterns. */
export const rules: Part<'rules'> = every.rules;

/** The settings of a single request, beside the client's own: `retry: { maxRetries: 1 }`. `retry: false` needs no part. */
export const overrides: Part<'overrides'> = every.overrides;

/** `gate`: the circuit breaker of a scope. */
export const gate: Part<'gate'> = every.gate;

/** `hold`: the pause that a server asked for, for a whole scope. */
export const hold: Part<'hold'> = every.hold;

/** `concurrency`: so many attempts in flight; the others wait in order. */
export const concurrency: Part<'concurrency'> = every.concurrency;

/** `budget: { kind: 'window' }`: retries within a sliding window. A bucket needs no part. */
export const slidingWindow: Part<'slidingWindow'> = every.slidingWindow;

/** `hedge`: a second attempt of a request that is late. */
export const hedge: Part<'hedge'> = every.hedge;

/** `attemptTimeoutMs: { maxMs }`: time limits that follow from the answers. */
export const adaptiveTimeout: Part<'adaptiveTimeout'> = every.adaptiveTimeout;

/** `credentials`: one renewal at a time for all whose credentials were refused. */
export const credentials: Part<'credentials'> = every.credentials;

/**
 * What failures of the transport mean in Node, Bun, Deno and Workers, and what they prove. Without it, the messages of pages are
 * known, and of Node's codes that the network failed; a request that fetch refuses to send is retried as if it had. The
 * `cause` of an error of ours is an error of axios as it is, with its request and answer.
 */
export const failures: Part<'failures'> = every.failures;

/**
 * Knows the fetch of Node, Deno and undici, and the requests that it and axios send for an attempt. Without it, what comes of
 * a request in Node proves nothing, so a POST is sent again neither after an error nor after a 429. In a page, nothing is
 * lost.
 */
export const evidence: Part<'evidence'> = every.evidence;

/** `retryIf`, `beforeRetry`, and a function as `scope`: what is told of the request. `observe` needs no part. */
export const hooks: Part<'hooks'> = every.hooks;

/**
 * Layers of undaunted over each other, of which only the outermost retries, and `suppressRetries`. Without it, a retry over
 * a retry multiplies.
 */
export const layers: Part<'layers'> = every.layers;

/** The diagnostics channels of Node, on which `undaunted/otel` listens. `observe` needs no part. */
export const channels: Part<'channels'> = every.channels;

/**
 * What light entries lack in Node; it brings `evidence` and `failures`. A signal that many requests by fetch share is no reason
 * for a warning, the end of an answer's body is noticed at once, and a small rest of a discarded stream by axios is read, so that
 * its connection is used again.
 */
export const node: Part<'node'> = every.node;

/** `wholeBodyBytes`: answers that are handed over once their body is complete. */
export const wholeAnswers: Part<'wholeAnswers'> = every.wholeAnswers;

/** `deadlineCovers: 'body'`: the deadline also ends a body that the caller reads. */
export const bodyDeadline: Part<'bodyDeadline'> = every.bodyDeadline;

/**
 * `bufferBodyBytes`: streams and the bodies of Requests, kept so that they can be sent again, and bodies that a function makes.
 * Without it, each stream is sent once.
 */
export const streams: Part<'streams'> = every.streams;

/** `streamStart`: a stream is handed over at its first content event; one that begins with an error is retried. */
export const streamStart: Part<'streamStart'> = every.streamStart;
