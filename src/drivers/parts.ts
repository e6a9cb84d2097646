/** The parts of an installation, as far as the drivers know them. */

import type { BodyHints, FailuresPart, Filling, Part, StreamStartPart } from '../core/policy/parts.js';
import type { Advice } from '../kernel/advice.js';
import type { Layers } from '../kernel/layers.js';
import type { Admission, CredentialsPart, KernelParts, Learning } from '../kernel/parts.js';
import type { OwnRetrier } from '../kernel/retrier.js';
import type { AttemptsApart, initOfHedge } from './apart.js';
import type { textOfHint } from './body/copied.js';
import type { keptForAxios } from './body/kept-data.js';
import type { keptForFetch, spareOf } from './body/kept-request.js';
import type { contentOf } from './body/unpack.js';
import type { isEndTold, whenOver } from './body/unread.js';
import type { Awaiting, seenOf, waitingFor } from './body/whole.js';
import type { ignoresInit, initFrom, withHeaders } from './built-anew.js';
import type { sendEnclosed } from './enclosing.js';
import type { AxiosHooks, FetchHooks, Hooks } from './hooks.js';
import type { isOfTunnel } from './hop-counter.js';
import type { admittedAfter } from './loop/admitting.js';
import type { sendLearning } from './loop/hedging.js';
import type { WaitingPart } from './loop/judging.js';
import type { breakBody, expectManyListeners } from './node.js';
import type { noticeOthers, noticeReplaced, noticeRetryAgent } from './other-retries.js';
import type { isOurs } from './platform-fetch.js';
import type { countedCopy, hasLeft, hopsOf, isOfAnother, keptAtHome } from './sent-by-axios.js';
import type { FetchProof, isMisuse, wentElsewhere } from './sent-by-fetch.js';
import type { begun, letStart, releaseStart, startFailureOf } from './starting.js';

/** Keeps bodies that can be read only once, so that they can be sent again. */
export interface FetchStreams extends Part<'streams'> {
  readonly keptForFetch: typeof keptForFetch;
  readonly spareOf: typeof spareOf;
}

export interface AxiosStreams extends Part<'streams'> {
  readonly keptForAxios: typeof keptForAxios;
}

/** Waits for the bodies of answers before they are handed over. */
interface Waits {
  readonly waitingFor: typeof waitingFor;
  readonly seenOf: typeof seenOf;
  readonly awaiting: Awaiting;
}

interface WholeAnswersPart extends Filling<'wholeAnswers'>, Waits {}

/** Reads the bodies of answers for hints. */
interface FetchBodyHints extends BodyHints, WaitingPart {
  readonly textOfHint: typeof textOfHint;
}

interface AxiosBodyHints extends BodyHints, WaitingPart {
  readonly contentOf: typeof contentOf;
}

/** Wants to know when the body of an answer is over. */
type Concurrency = NonNullable<KernelParts['concurrency']> & { readonly whenOver: typeof whenOver };

/** Shows what undici's fetch has sent for an attempt. */
interface FetchEvidence extends Part<'evidence'> {
  readonly FetchProof: typeof FetchProof;
  readonly isOurs: typeof isOurs;
}

interface AxiosEvidence extends Part<'evidence'> {
  readonly isOfAnother: typeof isOfAnother;
  readonly hopsOf: typeof hopsOf;
  readonly countedCopy: typeof countedCopy;
  readonly isOfTunnel: typeof isOfTunnel;
}

/** Waits until streams have begun that the caller is to read. */
interface FetchStarts extends StreamStartPart, Waits {}

interface AxiosStarts extends StreamStartPart {
  readonly begun: typeof begun;
  readonly letStart: typeof letStart;
  readonly startFailureOf: typeof startFailureOf;
  readonly releaseStart: typeof releaseStart;
}

interface LearningDriver extends Learning {
  readonly send: typeof sendLearning;
}

/** The headers stay at the origin of the request. */
interface AxiosCredentials extends CredentialsPart, WaitingPart {
  readonly hasLeft: typeof hasLeft;
  readonly keptAtHome: typeof keptAtHome;
}

interface FetchCredentials extends CredentialsPart, WaitingPart {
  readonly wentElsewhere: typeof wentElsewhere;
}

/** Knows the caller's own mistakes. */
interface FetchFailures extends FailuresPart {
  readonly isMisuse?: typeof isMisuse;
}

/** Of those who write the program: advice, and the Requests of their tests. */
interface FetchAdvice extends Advice {
  readonly ignoresInit: typeof ignoresInit;
  readonly initFrom: typeof initFrom;
  readonly withHeaders: typeof withHeaders;
  readonly noticeRetryAgent: typeof noticeRetryAgent;
}

interface AxiosAdvice extends Advice {
  readonly noticeOthers: typeof noticeOthers;
  readonly noticeReplaced: typeof noticeReplaced;
}

interface AxiosLayers extends Layers {
  readonly sendEnclosed: typeof sendEnclosed;
}

/** What only Node has. */
interface FetchNode extends Part<'node'> {
  readonly isEndTold: typeof isEndTold;
  readonly expectManyListeners: typeof expectManyListeners;
}

interface AxiosNode extends Part<'node'> {
  readonly isEndTold: typeof isEndTold;
  readonly breakBody: typeof breakBody;
}

/** Two attempts that are out at the same time. */
interface FetchLearning extends LearningDriver {
  readonly initOfHedge: typeof initOfHedge;
}

interface AxiosLearning extends LearningDriver {
  readonly AttemptsApart: typeof AttemptsApart;
}

/** What both clients need of them. */
export interface DriverParts extends KernelParts {
  readonly learning?: LearningDriver;
  readonly concurrency?: Concurrency;
  readonly hooks?: Hooks;
  readonly credentials?: CredentialsPart & WaitingPart;
  readonly admission?: Admission & { readonly admittedAfter: typeof admittedAfter };
}

/** What fetch needs of them. */
export interface FetchParts extends DriverParts {
  readonly advice?: FetchAdvice;
  readonly credentials?: FetchCredentials;
  readonly failures: FetchFailures;
  readonly learning?: FetchLearning;
  readonly streams?: FetchStreams;
  readonly evidence?: FetchEvidence;
  readonly hooks?: FetchHooks;
  readonly bodyHints?: FetchBodyHints;
  readonly wholeAnswers?: WholeAnswersPart;
  readonly streamStart?: FetchStarts;
  readonly node?: FetchNode;
}

/** What axios needs of them. */
export interface AxiosParts extends DriverParts {
  readonly layers?: AxiosLayers;
  readonly advice?: AxiosAdvice;
  readonly hooks?: AxiosHooks;
  readonly credentials?: AxiosCredentials;
  readonly learning?: AxiosLearning;
  readonly streams?: AxiosStreams;
  readonly evidence?: AxiosEvidence;
  readonly bodyHints?: AxiosBodyHints;
  readonly streamStart?: AxiosStarts;
  readonly node?: AxiosNode;
}

/** What an adapter installs, with all parts that its policy has. */
export interface Installed<Parts extends DriverParts> {
  readonly retrier: OwnRetrier;
  readonly parts: Parts;
}

export function installed<Parts extends DriverParts>(retrier: OwnRetrier): Installed<Parts> {
  // The kernel knows less of them than there is.
  return { retrier, parts: retrier.parts as Parts };
}
