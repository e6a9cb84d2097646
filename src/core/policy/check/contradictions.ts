/**
 * Contradictions, which no schema can express: settings that are valid one by one, but make no sense together. Such a
 * policy does one of two things, and its author would find out in production which one.
 */

import type { Problem } from '../../errors.js';
import { found } from '../../found.js';
import { budgetContradictions } from './budget-contradictions.js';
import type { Contradiction, Level } from './level.js';
import { problem, writtenPath } from './level.js';
import { firstWaitTooLong, scheduleContradictions } from './schedule-contradictions.js';
import { statusContradictions } from './status-contradictions.js';
import { tailContradictions } from './tail-contradictions.js';

const contradictions: readonly Contradiction[] = [
  {
    written: ['retry'],
    with: ['maxRetries'],
    find: ({ own: { maxRetries = 0 } }) =>
      maxRetries > 0 ? problem('maxRetries', found(maxRetries), '0 or nothing, because of retry: false') : [],
  },
  { written: ['deadlineMs', 'attemptTimeoutMs'], with: [], find: timeoutPastDeadline },
  {
    written: ['deadlineCovers'],
    with: ['deadlineMs'],
    inheritable: true,
    find: ({ settings: { deadlineCovers, deadlineMs } }) =>
      deadlineCovers === 'body' && deadlineMs === undefined
        ? problem('deadlineCovers', found(deadlineCovers), '"head"; "body" needs a deadlineMs')
        : [],
  },
  { written: ['deadlineMs', 'schedule'], with: ['retry', 'maxRetries'], find: firstWaitTooLong },
  {
    written: ['unsafeMethods'],
    with: ['idempotent'],
    find: ({ settings: { idempotent, unsafeMethods } }) =>
      idempotent && unsafeMethods !== 'refused'
        ? problem(
            'unsafeMethods',
            found(unsafeMethods),
            '"refused": idempotent makes every request safe to repeat',
          )
        : [],
  },
  { written: ['attemptHeader', 'idempotencyKey'], with: [], find: oneHeaderForTwo },
  {
    written: ['gate'],
    with: ['deadlineMs'],
    find: ({ settings: { gate, deadlineMs } }) =>
      gate && gate.whenShut === 'wait' && deadlineMs === undefined
        ? problem('gate.whenShut', found(gate.whenShut), '"fail"; "wait" needs a deadlineMs')
        : [],
  },
  {
    written: ['hold'],
    with: ['maxHintMs'],
    inheritable: true,
    find: ({ own, settings: { hold, maxHintMs } }) =>
      hold && hold.minMs > maxHintMs
        ? problem(
            writtenPath('hold', own.hold, 'minMs'),
            `a minMs of ${hold.minMs}`,
            `at most maxHintMs, which is ${maxHintMs}`,
          )
        : [],
  },
  {
    written: ['hold'],
    with: ['hints'],
    inheritable: true,
    find: ({ own, settings: { hold, hints } }) =>
      hold && hints === undefined ? problem('hold', found(own.hold), 'false, unless hints are read') : [],
  },
  {
    written: ['bodyHintBytes'],
    with: ['hints'],
    inheritable: true,
    find: ({ settings: { bodyHintBytes, hints } }) =>
      bodyHintBytes > 0 && hints === undefined
        ? problem('bodyHintBytes', found(bodyHintBytes), '0, unless hints are read')
        : [],
  },
  { written: ['statuses'], with: [], find: statusContradictions },
  { written: ['schedule'], with: [], find: (level) => scheduleContradictions(level, 'schedule') },
  {
    written: ['throttledSchedule'],
    with: [],
    find: (level) => scheduleContradictions(level, 'throttledSchedule'),
  },
  { written: ['budget'], with: [], find: budgetContradictions },
  ...(typeof __UNDAUNTED_TAIL__ === 'undefined' || __UNDAUNTED_TAIL__ ? tailContradictions : []),
];

/** All contradictions of a policy with its rules, or of an override. */
export function findContradictions(base: Level, rules: readonly Level[]): readonly Problem[] {
  return [base, ...rules].flatMap((level) =>
    contradictions
      .filter((contradiction) => isJudged(contradiction, level))
      .filter((contradiction) => level !== base || !isOfUseToRules(contradiction, rules))
      .flatMap((contradiction) => contradiction.find(level))
      .map((problem) => ({
        ...problem,
        path: level.path === '' ? problem.path : `${level.path}.${problem.path}`,
      })),
  );
}

function isJudged({ written, with: others }: Contradiction, { own, knows }: Level): boolean {
  return written.some((key) => own[key] !== undefined) && [...written, ...others].every(knows);
}

function isOfUseToRules({ written, inheritable, find }: Contradiction, rules: readonly Level[]): boolean {
  // Stryker disable next-line MethodExpression: those that are inheritable are written in one key.
  const inherit = (rule: Level) => written.every((key) => rule.own[key] === undefined);
  return inheritable === true && rules.some((rule) => inherit(rule) && find(rule).length === 0);
}

function timeoutPastDeadline({ own, settings: { attemptTimeoutMs, deadlineMs } }: Level): readonly Problem[] {
  if (attemptTimeoutMs === undefined || deadlineMs === undefined || attemptTimeoutMs <= deadlineMs) return [];
  return own.attemptTimeoutMs === undefined
    ? problem('deadlineMs', found(deadlineMs), `at least attemptTimeoutMs, which is ${attemptTimeoutMs}`)
    : problem(
        writtenPath('attemptTimeoutMs', own.attemptTimeoutMs, 'maxMs'),
        found(attemptTimeoutMs),
        `at most deadlineMs, which is ${deadlineMs}`,
      );
}

function oneHeaderForTwo({ own, settings: { attemptHeader, idempotencyKey } }: Level): readonly Problem[] {
  // Stryker disable next-line ConditionalExpression,BooleanLiteral: `false.header` is no header either.
  if (idempotencyKey === false || idempotencyKey.header !== attemptHeader) return [];
  return own.attemptHeader === undefined
    ? problem(
        writtenPath('idempotencyKey', own.idempotencyKey, 'header'),
        `the header "${attemptHeader}"`,
        'another one than that of attemptHeader',
      )
    : problem('attemptHeader', `the header "${attemptHeader}"`, 'another one than that of idempotencyKey');
}
