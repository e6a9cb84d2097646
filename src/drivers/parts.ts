/** The parts of an installation, as far as the drivers know them. */

import type { BodyHints, Part, StreamStartPart } from '../core/policy/parts.js';
import type { KernelParts, Learning } from '../kernel/parts.js';
import type { OwnRetrier } from '../kernel/retrier.js';
import type { textOfHint } from './body/copied.js';
import type { keptForAxios } from './body/kept-data.js';
import type { keptForFetch, spareOf } from './body/kept-request.js';
import type { contentOf } from './body/unpack.js';
import type { whenOver } from './body/unread.js';
import type { Awaiting, seenOf, WaitingAnswers } from './body/whole.js';
import type { hasBrowserCache } from './browser-cache.js';
import type { Hooks } from './hooks.js';
import type { HopCounter, isOfTunnel } from './hop-counter.js';
import type { sendLearning } from './loop/hedging.js';
import type { Advice } from './other-retries.js';
import type { isOurs, platformFetch } from './platform-fetch.js';
import type { begun, letStart, releaseStart, startFailureOf } from './starting.js';

/** Keeps bodies that can be read only once, so that they can be sent again. */
export interface Streams extends Part<'streams'> {
  readonly keptForFetch: typeof keptForFetch;
  readonly spareOf: typeof spareOf;
  readonly keptForAxios: typeof keptForAxios;
}

/** Waits for the bodies of answers before they are handed over. */
interface Waits {
  readonly WaitingAnswers: typeof WaitingAnswers;
  readonly seenOf: typeof seenOf;
  readonly awaiting: Awaiting;
}

export interface WholeAnswersPart extends Part<'wholeAnswers'>, Waits {}

/** Reads the bodies of answers for hints. */
export interface BodyHintsPart extends BodyHints {
  readonly textOfHint: typeof textOfHint;
  readonly contentOf: typeof contentOf;
}

/** Wants to know when the body of an answer is over. */
type Concurrency = NonNullable<KernelParts['concurrency']> & { readonly whenOver: typeof whenOver };

/** Shows what undici's fetch has sent for an attempt. */
export interface Evidence extends Part<'evidence'> {
  readonly HopCounter: Pick<typeof HopCounter, 'to'>;
  readonly platformFetch: typeof platformFetch;
  readonly isOurs: typeof isOurs;
  readonly isOfTunnel: typeof isOfTunnel;
}

/** Waits until streams have begun that the caller is to read. */
export interface StreamStarts extends StreamStartPart, Waits {
  readonly begun: typeof begun;
  readonly letStart: typeof letStart;
  readonly startFailureOf: typeof startFailureOf;
  readonly releaseStart: typeof releaseStart;
}

export interface DriverParts extends KernelParts {
  readonly learning?: Learning & {
    readonly send: typeof sendLearning;
    readonly hasBrowserCache: typeof hasBrowserCache;
  };
  readonly streams?: Streams;
  readonly evidence?: Evidence;
  readonly concurrency?: Concurrency;
  readonly advice?: Advice;
  readonly hooks?: Hooks;
  readonly bodyHints?: BodyHintsPart;
  readonly wholeAnswers?: WholeAnswersPart;
  readonly streamStart?: StreamStarts;
}

/** What an adapter installs, with all parts that its policy has. */
export interface Installed {
  readonly retrier: OwnRetrier;
  readonly parts: DriverParts;
}

export function installed(retrier: OwnRetrier): Installed {
  // The kernel knows less of them than there is.
  return { retrier, parts: retrier.parts as DriverParts };
}
