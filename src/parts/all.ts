/**
 * Every part that there is, and the functions of those entries that have all of them. Each part is a value without a spread
 * and without a call, so that a bundle carries only those that its program names. Some have a half for each client; an
 * entry of one client takes that half alone.
 */

import { goesAgain } from '../core/decide/decide.js';
import { readFailure } from '../core/decide/failures/read.js';
import type { Problem } from '../core/errors.js';
import { allHintSets } from '../core/hints/all-sets.js';
import { compileHints } from '../core/hints/compile.js';
import { bytesToRead, isHintedSuccess, wholeBases } from '../core/hints/worth-reading.js';
import { forbids } from '../core/limits/ask.js';
import { fillWindow } from '../core/limits/budget/window.js';
import { fillConcurrency } from '../core/limits/concurrency/setting.js';
import { fillGate } from '../core/limits/gate/setting.js';
import { fillHold } from '../core/limits/hold/setting.js';
import {
  checkedOverride,
  checkedPolicy,
  problemsOfOverride,
  problemsOfPolicy,
  refuseText,
} from '../core/policy/check/check.js';
import { remarksOn } from '../core/policy/check/rule-contradictions.js';
import { defaultSettings as defaultSettingsWith, fillIn as fillInWith } from '../core/policy/fill-in.js';
import {
  fillCredentials,
  fillHedge,
  fillStreamStart,
  settledByAdmission,
  settledByBodyHints,
  settledByLearning,
  settledByWholeAnswers,
} from '../core/policy/fill-in-parts.js';
import type { PolicyOptions, SettingsOptions } from '../core/policy/options.js';
import { Overrides } from '../core/policy/overrides.js';
import type {
  Filling,
  Hints,
  OverridesPart,
  Part,
  Rules,
  Settled,
  SlidingWindow,
} from '../core/policy/parts.js';
import { type Policy, type PolicyLike, policyIn, policyOf } from '../core/policy/policy.js';
import { readPattern } from '../core/policy/routes/patterns.js';
import { compileRoutes, nameOf } from '../core/policy/routes/routes.js';
import type { Settings } from '../core/policy/settings.js';
import { AttemptsApart, initOfHedge } from '../drivers/apart.js';
import { coverBody, coverData } from '../drivers/body/body-deadline.js';
import { parsedBody, readerOf, textOfHint } from '../drivers/body/copied.js';
import { keptForAxios } from '../drivers/body/kept-data.js';
import { initOfBody, keptForFetch, spareOf } from '../drivers/body/kept-request.js';
import { onceRead, releaseOfNode } from '../drivers/body/node-answers.js';
import { contentOf } from '../drivers/body/unpack.js';
import { isEndTold, whenOver } from '../drivers/body/unread.js';
import { awaitStart, awaitWhole, seenOf, waitingFor } from '../drivers/body/whole.js';
import { ignoresInit, standIn } from '../drivers/built-anew.js';
import { lightened } from '../drivers/cause.js';
import { callEnclosed, mayMeetBeneath, sendEnclosed } from '../drivers/enclosing.js';
import { askBeforeRetry, verdictOn } from '../drivers/hooks.js';
import { AxiosChanges, FetchChanges } from '../drivers/identity.js';
import { admittedAfter } from '../drivers/loop/admitting.js';
import { sendLearning } from '../drivers/loop/hedging.js';
import { judgedLater } from '../drivers/loop/judging-later.js';
import { expectManyListeners, sharing } from '../drivers/node.js';
import { noticeAuth, noticeOthers, noticeReplaced, noticeRetryAgent } from '../drivers/other-retries.js';
import type { AxiosParts, DriverParts, FetchParts } from '../drivers/parts.js';
import { isOurs } from '../drivers/platform-fetch.js';
import {
  cutOffIn,
  detailsByAxios,
  evidenceOf,
  isBroken,
  keepAtHome,
  sendCounted,
} from '../drivers/sent-by-axios.js';
import { detailsByFetch, FetchProof, isMisuse } from '../drivers/sent-by-fetch.js';
import { begun, letStart, releaseStart, startFailureOf } from '../drivers/starting.js';
import { countsFirst, showRemarks } from '../kernel/advice.js';
import { RequestCredentials } from '../kernel/credentials.js';
import { type ChannelsPart, platformChannels } from '../kernel/events.js';
import type { Layers } from '../kernel/layers.js';
import * as layer from '../kernel/layers.js';
import {
  admit,
  admitHedge,
  attemptEnded,
  end,
  failed,
  leave,
  noRefusals,
  onTurn,
  refusal,
  seen,
  succeeded,
  succeededAtOnce,
} from '../kernel/limits/admission.js';
import { ScopeConcurrency } from '../kernel/limits/concurrency.js';
import { ScopeGate } from '../kernel/limits/gate.js';
import { ScopeHold } from '../kernel/limits/hold.js';
import { acceptRetry } from '../kernel/live-session.js';
import { moveTo, scopeNameFrom } from '../kernel/moves.js';
import type { KernelParts } from '../kernel/parts.js';
import type { Ports } from '../kernel/ports.js';
import { type RetrierOptions, retrierOf } from '../kernel/public-retrier.js';
import { Race } from '../kernel/race.js';
import { type OwnRetrier, type Retrier, type RetrierLike, retrierFrom } from '../kernel/retrier.js';
import { advice, check } from './check.js';

export { check } from './check.js';

type Every = Required<FetchParts & AxiosParts>;

export const rules: Rules = {
  part: 'rules',
  nameOf,
  routesOf: (all) => compileRoutes(all.map(({ match }) => readPattern(match))),
};

export const streams: Every['streams'] = {
  part: 'streams',
  keptForFetch,
  spareOf,
  initOfBody,
  keptForAxios,
};

export const bodyDeadline: Every['bodyDeadline'] = { part: 'bodyDeadline', coverBody, coverData };

export const wholeAnswers: Every['wholeAnswers'] = {
  part: 'wholeAnswers',
  settled: settledByWholeAnswers,
  waitingFor,
  seenOf,
  awaiting: awaitWhole,
  detailsByFetch,
  isBroken,
};

const admission: Required<DriverParts>['admission'] = {
  part: 'admission',
  admittedAfter,
  settled: (filled) => settledByAdmission(filled, forbids),
  asked: {
    admit,
    admitHedge,
    attemptEnded,
    end,
    failed,
    leave,
    noRefusals,
    onTurn,
    refusal,
    seen,
    succeeded,
    succeededAtOnce,
  },
};

export const gate: Required<KernelParts>['gate'] = {
  part: 'gate',
  needs: [admission],
  Limit: ScopeGate,
  fill: fillGate,
};

export const hold: Required<KernelParts>['hold'] = {
  part: 'hold',
  needs: [admission],
  Limit: ScopeHold,
  fill: fillHold,
};

export const concurrency: Required<DriverParts>['concurrency'] = {
  part: 'concurrency',
  needs: [admission],
  Limit: ScopeConcurrency,
  whenOver,
  fill: fillConcurrency,
};

export const overrides: OverridesPart = { part: 'overrides', Overrides };

export const slidingWindow: SlidingWindow = { part: 'slidingWindow', fill: fillWindow };

const settledByCredentials: Settled = () => ({ goesAgain });

export const credentials: Every['credentials'] = {
  part: 'credentials',
  settled: settledByCredentials,
  judgedLater,
  RequestCredentials,
  detailsByFetch,
  keepAtHome,
  detailsByAxios,
  fill: fillCredentials,
};

/** What the base sets read there. */
const problemDocuments: Hints = { part: 'hints', sets: wholeBases, compile: compileHints };

export const bodyHints: Every['bodyHints'] = {
  part: 'bodyHints',
  needs: [problemDocuments],
  bodies: { isHintedSuccess, bytesToRead },
  settled: settledByBodyHints,
  textOfHint,
  detailsByFetch,
  contentOf,
  detailsByAxios,
  judgedLater,
};

export const streamStart: Every['streamStart'] = {
  part: 'streamStart',
  needs: [bodyHints],
  begun,
  letStart,
  startFailureOf,
  releaseStart,
  waitingFor,
  seenOf,
  awaiting: awaitStart,
  fill: fillStreamStart,
};

export const hooks: Every['hooks'] = {
  part: 'hooks',
  judgedLater,
  verdictOn,
  askBeforeRetry,
  readerOf,
  FetchChanges,
  detailsByFetch,
  parsedBody,
  AxiosChanges,
  detailsByAxios,
  scopeNameFrom,
  moveTo,
};

const ofLayers: Layers['of'] = {
  belongsTo: layer.belongsTo,
  countLayer: layer.countLayer,
  currentEnclosure: layer.currentEnclosure,
  isSuppressed: layer.isSuppressed,
};

export const layers: Every['layers'] = {
  part: 'layers',
  of: ofLayers,
  callEnclosed,
  isWithin: layer.isWithin,
  mayMeetBeneath,
  sendEnclosed,
  mayMeet: layer.mayMeet,
};

export const channels: ChannelsPart = { part: 'channels', of: platformChannels };

export const failures: Every['failures'] = {
  part: 'failures',
  read: readFailure,
  isMisuse,
  cutOffIn,
  lightened,
};

export const evidence: Every['evidence'] = {
  part: 'evidence',
  needs: [failures],
  FetchProof,
  isOurs,
  sendCounted,
  evidenceOf,
};

export const node: Every['node'] = {
  part: 'node',
  needs: [evidence],
  isEndTold,
  expectManyListeners,
  sharing,
  releaseOfNode,
  onceRead,
  acceptRetry,
};

const learning: Every['learning'] = {
  part: 'learning',
  Race,
  send: sendLearning,
  initOfHedge,
  AttemptsApart,
  settled: settledByLearning,
};

export const hedge: Filling<'hedge'> = { part: 'hedge', needs: [learning], fill: fillHedge };

export const adaptiveTimeout: Part<'adaptiveTimeout'> = { part: 'adaptiveTimeout', needs: [learning] };

const hints: Hints = { part: 'hints', sets: allHintSets, compile: compileHints };

export const allParts: Every = {
  check,
  rules,
  overrides,
  hints,
  bodyHints,
  failures,
  gate,
  hold,
  concurrency,
  slidingWindow,
  hedge,
  adaptiveTimeout,
  streams,
  wholeAnswers,
  bodyDeadline,
  streamStart,
  credentials,
  evidence,
  hooks,
  advice,
  layers,
  channels,
  node,
  admission,
  learning,
};

// ---------------------------------------------------------------- with all of them, for one client

type Halved =
  | 'learning'
  | 'hedge'
  | 'adaptiveTimeout'
  | 'streams'
  | 'wholeAnswers'
  | 'bodyDeadline'
  | 'bodyHints'
  | 'streamStart'
  | 'hooks'
  | 'credentials'
  | 'failures'
  | 'layers'
  | 'advice'
  | 'evidence'
  | 'node';

function together<Halves extends Pick<Required<DriverParts>, Halved>>(
  halves: Halves,
): Halves & Omit<Required<DriverParts>, Halved> {
  return {
    check: { part: 'check', checkedPolicy, checkedOverride, refuseText, remarksOn },
    rules,
    overrides,
    hints,
    gate,
    hold,
    concurrency,
    slidingWindow,
    channels,
    admission,
    ...halves,
  };
}

const fetchParts: Required<FetchParts> = /* @__PURE__ */ together({
  learning: { part: 'learning', Race, send: sendLearning, settled: settledByLearning, initOfHedge },
  hedge: { part: 'hedge', fill: fillHedge },
  adaptiveTimeout: { part: 'adaptiveTimeout' },
  streams: { part: 'streams', keptForFetch, spareOf, initOfBody },
  wholeAnswers: {
    part: 'wholeAnswers',
    settled: settledByWholeAnswers,
    waitingFor,
    seenOf,
    awaiting: awaitWhole,
    detailsByFetch,
  },
  bodyDeadline: { part: 'bodyDeadline', coverBody },
  bodyHints: {
    part: 'bodyHints',
    bodies: { isHintedSuccess, bytesToRead },
    settled: settledByBodyHints,
    textOfHint,
    detailsByFetch,
    judgedLater,
  },
  streamStart: {
    part: 'streamStart',
    waitingFor,
    seenOf,
    awaiting: awaitStart,
    fill: fillStreamStart,
  },
  hooks: {
    part: 'hooks',
    judgedLater,
    verdictOn,
    askBeforeRetry,
    readerOf,
    FetchChanges,
    detailsByFetch,
    scopeNameFrom,
    moveTo,
  },
  credentials: {
    part: 'credentials',
    settled: settledByCredentials,
    judgedLater,
    RequestCredentials,
    detailsByFetch,
    fill: fillCredentials,
  },
  layers: {
    part: 'layers',
    of: ofLayers,
    callEnclosed,
    isWithin: layer.isWithin,
    mayMeetBeneath,
  },
  evidence: { part: 'evidence', FetchProof, isOurs },
  node: { part: 'node', isEndTold, expectManyListeners, sharing, acceptRetry },
  failures: { part: 'failures', read: readFailure, isMisuse },
  advice: {
    part: 'advice',
    showRemarks,
    countsFirst,
    noticeRetryAgent,
    ignoresInit,
    standIn,
  },
});

const axiosParts: Required<AxiosParts> = /* @__PURE__ */ together({
  learning: { part: 'learning', Race, send: sendLearning, settled: settledByLearning, AttemptsApart },
  hedge: { part: 'hedge', fill: fillHedge },
  adaptiveTimeout: { part: 'adaptiveTimeout' },
  streams: { part: 'streams', keptForAxios },
  wholeAnswers: { part: 'wholeAnswers', settled: settledByWholeAnswers, isBroken },
  bodyDeadline: { part: 'bodyDeadline', coverData },
  bodyHints: {
    part: 'bodyHints',
    bodies: { isHintedSuccess, bytesToRead },
    settled: settledByBodyHints,
    contentOf,
    detailsByAxios,
    judgedLater,
  },
  streamStart: {
    part: 'streamStart',
    begun,
    letStart,
    startFailureOf,
    releaseStart,
    fill: fillStreamStart,
  },
  hooks: {
    part: 'hooks',
    judgedLater,
    verdictOn,
    askBeforeRetry,
    parsedBody,
    AxiosChanges,
    detailsByAxios,
    scopeNameFrom,
    moveTo,
  },
  credentials: {
    part: 'credentials',
    settled: settledByCredentials,
    judgedLater,
    RequestCredentials,
    keepAtHome,
    detailsByAxios,
    fill: fillCredentials,
  },
  failures: { part: 'failures', read: readFailure, cutOffIn, lightened },
  layers: { part: 'layers', of: ofLayers, sendEnclosed, mayMeet: layer.mayMeet },
  advice: { part: 'advice', showRemarks, countsFirst, noticeOthers, noticeReplaced, noticeAuth },
  evidence: { part: 'evidence', sendCounted, evidenceOf },
  node: { part: 'node', isEndTold, releaseOfNode, onceRead, sharing, acceptRetry },
});

// ---------------------------------------------------------------- with all of them

/**
 * Checks options and makes a policy of them. Throws a `PolicyError` that lists all problems. A finished policy is
 * returned as it is.
 */
export function definePolicy(options: PolicyOptions | PolicyLike = {}): Policy {
  return policyOf(options, allParts);
}

/** Makes a policy from data of any type, for example from a JSON file. It is checked like `definePolicy` does. */
export function parsePolicy(value: unknown): Policy {
  return policyIn(value, allParts);
}

/** Makes a new retrier. Adapters that are given the same retrier share its limits. */
export function createRetrier(
  policy: PolicyOptions | PolicyLike = {},
  ports: Partial<Ports> = {},
  options: RetrierOptions = {},
): Retrier {
  return retrierOf(policyOf(policy, allParts), ports, options);
}

/** For adapters: a policy that is passed twice shares one retrier; each options object gets its own. */
export function retrierFor(given?: PolicyOptions | PolicyLike | RetrierLike): OwnRetrier {
  return retrierFrom(given, allParts);
}

export function retrierForFetch(given?: PolicyOptions | PolicyLike | RetrierLike): OwnRetrier {
  return retrierFrom(given, fetchParts);
}

export function retrierForAxios(given?: PolicyOptions | PolicyLike | RetrierLike): OwnRetrier {
  return retrierFrom(given, axiosParts);
}

/** All problems of a policy's options. */
export function checkPolicy(options: unknown): readonly Problem[] {
  return problemsOfPolicy(options, allParts);
}

/** All problems of a single request's settings. */
export function checkOverride(options: unknown): readonly Problem[] {
  return problemsOfOverride(options, allParts);
}

/** The settings of an empty policy. */
export function defaultSettings(): Settings {
  return defaultSettingsWith(allParts);
}

export function fillIn(options: SettingsOptions, inherited: Settings): Settings {
  return fillInWith(options, inherited, allParts);
}
