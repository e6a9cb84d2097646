/**
 * Contradictions, which no schema can express: settings that are valid one by one, but make no sense together. Such a
 * policy does one of two things, and its author would find out in production which one.
 */

import { scheduledWait } from '../../decide/schedule.js';
import type { Problem } from '../../errors.js';
import { found } from '../../found.js';
import { limitContradictions } from '../../limits/checks.js';
import type { Schedule, ScheduleFunction } from '../schedules.js';
import type { Contradiction, Findings, Level } from './level.js';
import { reversedBounds, writtenPath } from './level.js';
import { idleStatusProblems, ownHintProblems, unreadEventProblems, unreadRowProblems } from './own-hints.js';
import { tailContradictions } from './tail-contradictions.js';
import { problem } from './wording.js';

const contradictions: readonly Contradiction[] = /* @__PURE__ */ (() => [
  {
    written: ['retry'],
    with: ['maxRetries'],
    find: ({ own: { maxRetries = 0 } }) =>
      maxRetries > 0 && problem('maxRetries', found(maxRetries), '0 or nothing, because of retry: false'),
  },
  { written: ['deadlineMs', 'attemptTimeoutMs'], find: timeoutPastDeadline },
  {
    written: ['deadlineCovers'],
    with: ['deadlineMs'],
    inheritable: true,
    find: ({ settings: { deadlineCovers, deadlineMs } }) =>
      deadlineCovers === 'body' &&
      deadlineMs === undefined &&
      problem('deadlineCovers', found(deadlineCovers), '"head"; "body" needs a deadlineMs'),
  },
  { written: ['deadlineMs', 'schedule'], with: ['retry', 'maxRetries'], find: firstWaitTooLong },
  {
    written: ['unsafeMethods'],
    with: ['idempotent'],
    find: ({ settings: { idempotent, unsafeMethods } }) =>
      idempotent &&
      unsafeMethods !== 'refused' &&
      problem(
        'unsafeMethods',
        found(unsafeMethods),
        '"refused": idempotent makes every request safe to repeat',
      ),
  },
  { written: ['attemptHeader', 'idempotencyKey'], find: oneHeaderForTwo },
  { written: ['credentials'], find: credentialsInPart },
  ...limitContradictions,
  {
    written: ['bodyHintBytes'],
    with: ['hints'],
    inheritable: true,
    find: ({ settings: { bodyHintBytes, hints } }) =>
      bodyHintBytes > 0 &&
      hints === undefined &&
      problem('bodyHintBytes', found(bodyHintBytes), '0, unless hints are read'),
  },
  { written: ['hints'], find: ownHintProblems },
  { written: ['hints'], with: ['statuses'], find: idleStatusProblems },
  { written: ['hints'], with: ['bodyHintBytes'], find: unreadRowProblems },
  { written: ['hints'], with: ['streamStart'], inheritable: true, find: unreadEventProblems },
  { written: ['statuses'], find: statusContradictions },
  { written: ['schedule'], find: (level) => scheduleContradictions(level, 'schedule') },
  {
    written: ['throttledSchedule'],

    find: (level) => scheduleContradictions(level, 'throttledSchedule'),
  },
  ...tailContradictions,
])();

/** All contradictions of a policy with its rules, or of an override. */
export function findContradictions(base: Level, rules: readonly Level[]): readonly Problem[] {
  return [base, ...rules].flatMap((level) =>
    contradictions
      .filter((contradiction) => isJudged(contradiction, level))
      .filter((contradiction) => level !== base || !isOfUseToRules(contradiction, rules))
      .flatMap((contradiction) => problemsIn(contradiction.find(level)))
      .map((problem) => ({
        ...problem,
        path: level.path === '' ? problem.path : `${level.path}.${problem.path}`,
      })),
  );
}

function isJudged({ written, with: others = [] }: Contradiction, { own, knows }: Level): boolean {
  return written.some((key) => own[key] !== undefined) && [...written, ...others].every(knows);
}

function isOfUseToRules({ written, inheritable, find }: Contradiction, rules: readonly Level[]): boolean {
  // Stryker disable next-line MethodExpression: those that are inheritable are written in one key.
  const inherit = (rule: Level) => written.every((key) => rule.own[key] === undefined);
  return inheritable === true && rules.some((rule) => inherit(rule) && problemsIn(find(rule)).length === 0);
}

function problemsIn(findings: Findings): readonly Problem[] {
  if (Array.isArray(findings)) return (findings as readonly Findings[]).flatMap(problemsIn);
  return findings ? [findings as Problem] : [];
}

function timeoutPastDeadline({ own, settings: { attemptTimeoutMs, deadlineMs } }: Level): Findings {
  if (attemptTimeoutMs === undefined || deadlineMs === undefined || attemptTimeoutMs <= deadlineMs)
    return false;
  return own.attemptTimeoutMs === undefined
    ? problem('deadlineMs', found(deadlineMs), `at least attemptTimeoutMs, which is ${attemptTimeoutMs}`)
    : problem(
        writtenPath('attemptTimeoutMs', own.attemptTimeoutMs, 'maxMs'),
        found(attemptTimeoutMs),
        `at most deadlineMs, which is ${deadlineMs}`,
      );
}

function oneHeaderForTwo({ own, settings: { attemptHeader, idempotencyKey } }: Level): Findings {
  // Stryker disable next-line ConditionalExpression,BooleanLiteral: `false.header` is no header either.
  if (idempotencyKey === false || idempotencyKey.header !== attemptHeader) return false;
  return own.attemptHeader === undefined
    ? problem(
        writtenPath('idempotencyKey', own.idempotencyKey, 'header'),
        `the header "${attemptHeader}"`,
        'another one than that of attemptHeader',
      )
    : problem('attemptHeader', `the header "${attemptHeader}"`, 'another one than that of idempotencyKey');
}

/** The two need each other; as functions, they are not in the schema. */
function credentialsInPart({ own: { credentials } }: Level): Findings {
  if (typeof credentials !== 'object') return false;
  return (['headers', 'renew'] as const).map(
    (key) => credentials[key] === undefined && problem(`credentials.${key}`, found(undefined), 'a function'),
  );
}

// ---------------------------------------------------------------- lists of statuses

/**
 * A status that is both listed and negated is a contradiction, and so is a list of negations only. A negation of a status
 * that is not listed is not: it makes hints for that status ineffective.
 */
// Stryker disable next-line ArrayDeclaration: judged only where there is a list.
function statusContradictions({ own: { statuses = [] }, settings }: Level): Findings {
  const entries = statuses.map(String);
  if (entries.length > 0 && entries.every((entry) => entry.startsWith('!'))) {
    const allowed = 'at least one status to retry: the list replaces the default list';
    return problem('statuses', 'only negations', allowed);
  }
  const left = new Set(
    [...settings.statuses.retried].map(String).flatMap((status) => [status, `${status.charAt(0)}xx`]),
  );
  const allowed = 'a status that the list does not also negate';
  return entries.map(
    (entry, index) =>
      !entry.startsWith('!') &&
      !left.has(entry) &&
      problem(`statuses[${index}]`, found(statuses[index]), allowed),
  );
}

// ---------------------------------------------------------------- schedules that cannot work as written, whatever the jitter

/** Within one schedule. */
function scheduleContradictions({ own, settings }: Level, key: 'schedule' | 'throttledSchedule'): Findings {
  const schedule = settings[key];
  // Stryker disable next-line ConditionalExpression,StringLiteral: a function has no keys to contradict each other.
  if (typeof schedule === 'function') return false;
  const { slotMs } = schedule;
  const allowed = 'less than the longest wait: it rounds all of them down to 0';
  return [
    // Stryker disable next-line ConditionalExpression: others have neither; the kind is for the compiler.
    schedule.kind === 'exponential' &&
      reversedBounds(key, own[key], ['firstMs', schedule.firstMs], schedule.maxMs),
    slotMs !== undefined && !waitsAtAll(schedule) && problem(`${key}.slotMs`, found(slotMs), allowed),
  ];
}

function waitsAtAll(schedule: Exclude<Schedule, ScheduleFunction>): boolean {
  if (schedule.kind === 'table') {
    return schedule.waitsMs.some((_, index) => scheduledWait(schedule, index + 1, undefined, 1) > 0);
  }
  // By then, an exponential schedule has reached its cap, however slowly it grows.
  // Stryker disable next-line ConditionalExpression: others do not look at the previous wait.
  const previousMs = schedule.kind === 'exponential' ? schedule.maxMs : undefined;
  return scheduledWait(schedule, Number.MAX_SAFE_INTEGER, previousMs, 1) > 0;
}

/** Waits that would end after the deadline do not start: without a hint, there would never be a retry. */
function firstWaitTooLong({ own, settings }: Level): Findings {
  const { schedule, deadlineMs, maxRetries } = settings;
  if (typeof schedule === 'function' || deadlineMs === undefined || maxRetries === 0) return false;
  const shortestMs = scheduledWait(schedule, 1, undefined, 0);
  if (shortestMs < deadlineMs) return false;
  return own.schedule === undefined
    ? problem('deadlineMs', found(deadlineMs), `more than the shortest first wait, which is ${shortestMs}`)
    : problem(
        'schedule',
        `a first wait of ${shortestMs} ms or more`,
        `a first wait that can be shorter than deadlineMs, which is ${deadlineMs}`,
      );
}
