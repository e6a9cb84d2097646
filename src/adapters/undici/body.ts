/**
 * Request bodies, and whether they can be sent again. Text, bytes, Blob and FormData can. A stream or an iterator can
 * be read only once, so what was read is kept, up to a limit. undici's fetch turns every body into an iterator.
 */

import { Readable } from 'node:stream';
import type { Settings } from '../../core/policy/settings.js';
import { asPromise, isPromise } from '../../core/returned.js';
import { iterates } from '../../drivers/body/iterates.js';
import { KeptBody } from '../../drivers/body/kept-body.js';
import { isSentAtOnce } from '../../drivers/body/sent-at-once.js';
import { dispose, isStream, isWebStream } from '../../drivers/body/stream-like.js';
import { webSource } from '../../drivers/body/web-stream.js';

/**
 * `ready` is sent as it is, as often as needed; `once` is sent as it is, one time; `made` comes from a function, anew
 * for each attempt; `kept` is read once, and what was read is kept.
 */
export type Body =
  | { readonly kind: 'ready'; readonly value: unknown }
  | { readonly kind: 'once'; readonly value: unknown }
  | MadeBody
  | { readonly kind: 'kept'; readonly value: KeptBody };

export interface MadeBody {
  readonly kind: 'made';
  readonly make: () => unknown;
  value: unknown;
  /** The attempt for which the function is still making it: undici has not seen that one yet. */
  awaitedBy: object | undefined;
}

const noBody: Body = { kind: 'ready', value: undefined };

export function bodyOf(body: unknown, settings: Settings): Body {
  if (body === undefined || body === null) return noBody;
  if (typeof body === 'function') return madeBy(body as () => unknown);
  if (isSentOnce(settings)) return { kind: 'ready', value: spelledOut(body) };
  return readable(body, settings.bufferBodyBytes);
}

/** A function of its own: one that creates closures allocates room for them at each call. */
function madeBy(make: () => unknown): Body {
  return { kind: 'made', make: () => made(make()), value: undefined, awaitedBy: undefined };
}

/** False with a time limit, which may end an attempt in the middle of its body: only an Upload breaks off cleanly. */
function isSentOnce(settings: Settings): boolean {
  const { attemptTimeoutMs, deadlineMs } = settings;
  return attemptTimeoutMs === undefined && deadlineMs === undefined && isSentAtOnce(settings);
}

function readable(body: unknown, limitBytes: number): Body {
  if (typeof body !== 'object' || body === null || ArrayBuffer.isView(body)) {
    return { kind: 'ready', value: body };
  }
  if (isStream(body)) {
    const isFresh = iterates(body, Symbol.asyncIterator) && !Readable.isDisturbed(body as Readable);
    return isFresh ? kept(body, limitBytes) : { kind: 'once', value: body };
  }
  const isReadOnce =
    iterates(body, Symbol.asyncIterator) || (iterates(body, Symbol.iterator) && !beginsAnew(body));
  return isReadOnce ? kept(body, limitBytes) : { kind: 'ready', value: spelledOut(body) };
}

function kept(body: object, limitBytes: number): Body {
  // A web stream's own iterator cannot be stopped while it waits for a chunk.
  const source = isWebStream(body) ? webSource(body) : body;
  return { kind: 'kept', value: new KeptBody(source, limitBytes) };
}

/** Keeps nothing: the function makes a new body for the next attempt. */
function made(body: unknown): unknown {
  return isPromise(body) ? asPromise(body).then(made) : readable(body, 0).value;
}

/** undici itself would iterate over URLSearchParams, send the pairs as chunks, and fail. */
function spelledOut(body: unknown): unknown {
  return body instanceof URLSearchParams ? body.toString() : body;
}

/** Any other iterable could be a queue, which is empty the second time. */
function beginsAnew(body: object): boolean {
  if (Array.isArray(body) || body instanceof Set || body instanceof URLSearchParams) return true;
  return 'append' in body && 'getAll' in body;
}

export function isReplayable(body: Body): boolean {
  return body.kind === 'kept' ? body.value.isReplayable : body.kind !== 'once';
}

/** What is read once may turn out to be too long to be kept. */
export function isSurelyReplayable({ kind }: Body): boolean {
  return kind === 'ready' || kind === 'made';
}

export function isAwaited(body: Body, sending: object): boolean {
  return body.kind === 'made' && body.awaitedBy === sending;
}

/** The kept body that is read while it is sent, if there is one. */
export function sourceOf({ value }: Body): KeptBody | undefined {
  // Most requests have no body, and it takes longer to find that it is of no such class.
  return value !== undefined && value instanceof KeptBody ? value : undefined;
}

/**
 * Destroys a stream of the caller's that was to be sent as it is, unless the caller does so when it hears of the error.
 */
export function destroyStream({ value }: Body): void {
  if (isStream(value)) queueMicrotask(() => dispose(value));
}
