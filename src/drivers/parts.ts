/** The parts of an installation, as far as the drivers know them. */

import type { BodyHints, FailuresPart, Filling, Part } from '../core/policy/parts.js';
import type { Advice } from '../kernel/advice.js';
import type { isWithin, Layers, mayMeet } from '../kernel/layers.js';
import type { acceptRetry } from '../kernel/live-session.js';
import type { Admission, CredentialsPart, KernelParts, Learning } from '../kernel/parts.js';
import type { OwnRetrier } from '../kernel/retrier.js';
import type { AttemptsApart, initOfHedge } from './apart.js';
import type { coverBody, coverData } from './body/body-deadline.js';
import type { textOfHint } from './body/copied.js';
import type { keptForAxios } from './body/kept-data.js';
import type { initOfBody, keptForFetch, spareOf } from './body/kept-request.js';
import type { onceRead, releaseOfNode } from './body/node-answers.js';
import type { contentOf } from './body/unpack.js';
import type { isEndTold, whenOver } from './body/unread.js';
import type { Awaiting, seenOf, waitingFor } from './body/whole.js';
import type { ignoresInit, standIn } from './built-anew.js';
import type { lightened } from './cause.js';
import type { callEnclosed, mayMeetBeneath, sendEnclosed } from './enclosing.js';
import type { AxiosHooks, FetchHooks, Hooks } from './hooks.js';
import type { admittedAfter } from './loop/admitting.js';
import type { sendLearning } from './loop/hedging.js';
import type { WaitingPart } from './loop/judging.js';
import type { expectManyListeners, sharing } from './node.js';
import type { noticeAuth, noticeOthers, noticeReplaced, noticeRetryAgent } from './other-retries.js';
import type { isOurs } from './platform-fetch.js';
import type {
  cutOffIn,
  detailsByAxios,
  evidenceOf,
  isBroken,
  keepAtHome,
  sendCounted,
} from './sent-by-axios.js';
import type { detailsByFetch, FetchProof, isMisuse } from './sent-by-fetch.js';
import type { begun, letStart, releaseStart, startFailureOf } from './starting.js';

/** Keeps bodies that can be read only once, so that they can be sent again. */
interface FetchStreams extends Part<'streams'> {
  readonly keptForFetch: typeof keptForFetch;
  readonly spareOf: typeof spareOf;
  readonly initOfBody: typeof initOfBody;
}

export interface AxiosStreams extends Part<'streams'> {
  readonly keptForAxios: typeof keptForAxios;
}

/** Ends a body that the caller reads at the deadline. */
interface FetchBodyDeadline extends Part<'bodyDeadline'> {
  readonly coverBody: typeof coverBody;
}

interface AxiosBodyDeadline extends Part<'bodyDeadline'> {
  readonly coverData: typeof coverData;
}

/** Waits for the bodies of answers before they are handed over. */
interface Waits {
  readonly waitingFor: typeof waitingFor;
  readonly seenOf: typeof seenOf;
  readonly awaiting: Awaiting;
}

interface FetchWholeAnswers extends Filling<'wholeAnswers'>, Waits {
  readonly detailsByFetch: typeof detailsByFetch;
}

interface AxiosWholeAnswers extends Filling<'wholeAnswers'> {
  readonly isBroken: typeof isBroken;
}

/** Reads the bodies of answers for hints. */
interface FetchBodyHints extends BodyHints, WaitingPart {
  readonly textOfHint: typeof textOfHint;
  readonly detailsByFetch: typeof detailsByFetch;
}

interface AxiosBodyHints extends BodyHints, WaitingPart {
  readonly contentOf: typeof contentOf;
  readonly detailsByAxios: typeof detailsByAxios;
}

/** Wants to know when the body of an answer is over. */
type Concurrency = NonNullable<KernelParts['concurrency']> & { readonly whenOver: typeof whenOver };

/** Shows what undici's fetch has sent for an attempt. */
interface FetchEvidence extends Part<'evidence'> {
  readonly FetchProof: typeof FetchProof;
  readonly isOurs: typeof isOurs;
}

interface AxiosEvidence extends Part<'evidence'> {
  readonly sendCounted: typeof sendCounted;
  readonly evidenceOf: typeof evidenceOf;
}

/** Waits until streams have begun that the caller is to read. */
interface FetchStarts extends Filling<'streamStart'>, Waits {}

interface AxiosStarts extends Filling<'streamStart'> {
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
  readonly keepAtHome: typeof keepAtHome;
  readonly detailsByAxios: typeof detailsByAxios;
}

interface FetchCredentials extends CredentialsPart, WaitingPart {
  readonly detailsByFetch: typeof detailsByFetch;
}

/** Knows the caller's own mistakes. */
interface FetchFailures extends FailuresPart {
  readonly isMisuse?: typeof isMisuse;
}

/** Knows what Node's connections leave behind. */
interface AxiosFailures extends FailuresPart {
  readonly cutOffIn?: typeof cutOffIn;
  readonly lightened?: typeof lightened;
}

/** Of those who write the program: advice, and the Requests of their tests. */
interface FetchAdvice extends Advice {
  readonly ignoresInit: typeof ignoresInit;
  readonly standIn: typeof standIn;
  readonly noticeRetryAgent: typeof noticeRetryAgent;
}

interface AxiosAdvice extends Advice {
  readonly noticeOthers: typeof noticeOthers;
  readonly noticeReplaced: typeof noticeReplaced;
  readonly noticeAuth: typeof noticeAuth;
}

interface FetchLayers extends Layers {
  readonly callEnclosed: typeof callEnclosed;
  readonly isWithin: typeof isWithin;
  readonly mayMeetBeneath: typeof mayMeetBeneath;
}

interface AxiosLayers extends Layers {
  readonly sendEnclosed: typeof sendEnclosed;
  readonly mayMeet: typeof mayMeet;
}

/** What only Node has, or only what has as many requests under way as a server in Node. */
interface DriverNode extends Part<'node'> {
  readonly acceptRetry: typeof acceptRetry;
  readonly sharing: typeof sharing;
}

interface FetchNode extends DriverNode {
  readonly isEndTold: typeof isEndTold;
  readonly expectManyListeners: typeof expectManyListeners;
}

interface AxiosNode extends DriverNode {
  readonly isEndTold: typeof isEndTold;
  readonly releaseOfNode: typeof releaseOfNode;
  readonly onceRead: typeof onceRead;
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
  readonly node?: DriverNode;
}

/** What fetch needs of them. */
export interface FetchParts extends DriverParts {
  readonly layers?: FetchLayers;
  readonly advice?: FetchAdvice;
  readonly credentials?: FetchCredentials;
  readonly failures: FetchFailures;
  readonly learning?: FetchLearning;
  readonly streams?: FetchStreams;
  readonly evidence?: FetchEvidence;
  readonly hooks?: FetchHooks;
  readonly bodyHints?: FetchBodyHints;
  readonly wholeAnswers?: FetchWholeAnswers;
  readonly bodyDeadline?: FetchBodyDeadline;
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
  readonly failures: AxiosFailures;
  readonly bodyHints?: AxiosBodyHints;
  readonly wholeAnswers?: AxiosWholeAnswers;
  readonly bodyDeadline?: AxiosBodyDeadline;
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

/** Of a request whose body is a function. */
export function lacksStreams(): TypeError {
  const module = "'undaunted/parts'";
  return new TypeError(
    `undaunted: a function as body needs import { streams } from ${module}, given in the list after the policy`,
  );
}
