/** Hints of one's own that cannot work as written: rows that contradict themselves, and rows that nothing reads. */

import { found, quote } from '../../found.js';
import type { OwnBodyHint, OwnEventHint, OwnHints } from '../../hints/own.js';
import { hintSetNames } from '../../hints/sets.js';
import { isHintStatus } from '../../hints/statuses.js';
import type { Findings, Level } from './level.js';
import { pathTo, problem } from './wording.js';

/** Names and rows, whatever else is set. */
export function ownHintProblems(level: Level): Findings {
  const sets = ownSetsOf(level);
  return sets.map(({ set, path }, index) => [
    nameProblem(set, sets.slice(0, index), path),
    rowProblems(set, path),
  ]);
}

/** A wait says how long, and never whether: a status that is not retried needs something that asks for it. */
export function idleStatusProblems(level: Level): Findings {
  const { retried } = level.settings.statuses;
  return ownSetsOf(level).map(({ set: { statuses = [], body = [] }, path }) =>
    statuses.map((status, index) => {
      const isEmpty = status === 204 || status === 205;
      if ((body.some(asksForRetry) && !isEmpty) || retried.has(status) || isHintStatus(status)) return false;
      return problem(
        `${path}.statuses[${index}]`,
        found(status),
        'a status after which something says that a retry is worth it',
        isEmpty ? 'Leave it out: such an answer has no body.' : adviceOnIdle(status),
      );
    }),
  );
}

function adviceOnIdle(status: number): string {
  return status < 300
    ? 'Add a row to "body" whose "means" says when such an answer is a failure.'
    : `Add a row to "body" whose "means" says when to retry, or ${status} to the setting statuses.`;
}

export function unreadRowProblems(level: Level): Findings {
  return (
    level.settings.bodyHintBytes === 0 &&
    ownSetsOf(level).map(
      ({ set, path }) =>
        set.body !== undefined &&
        unreadRows(
          `${path}.body`,
          'none where bodyHintBytes is 0',
          'Leave bodyHintBytes out to read up to 16384 bytes.',
        ),
    )
  );
}

/** Vendors' rows for streams read nothing either then, but those are not written for it. */
export function unreadEventProblems(level: Level): Findings {
  if (level.settings.streamStart !== false) return false;
  const allowed = 'none where streamStart is false';
  // Asked of a rule, whether it is of any use there.
  if (level.own.hints === undefined) return unreadRows('hints', allowed);
  return ownSetsOf(level).map(
    ({ set, path }) =>
      set.events !== undefined &&
      unreadRows(`${path}.events`, allowed, 'Set streamStart: { } to wait for the first event of a stream.'),
  );
}

function unreadRows(path: string, allowed: string, advice?: string): Findings {
  return problem(path, 'rows that nothing reads', allowed, advice);
}

function ownSetsOf({ own: { hints = false } }: Level): readonly OwnSet[] {
  return [hints].flat().flatMap((set, index) => {
    const path = Array.isArray(hints) ? pathTo('hints', index) : 'hints';
    return typeof set === 'object' ? [{ set, path }] : [];
  });
}

interface OwnSet {
  readonly set: OwnHints;
  readonly path: string;
}

function nameProblem({ name }: OwnHints, before: readonly OwnSet[], path: string): Findings {
  if (hintSetNames.some((known) => known === name)) {
    const advice = `To read both, name the set beside this object: [${quote(name)}, { … }].`;
    return problem(`${path}.name`, found(name), 'a name that no set of hints has', advice);
  }
  return (
    before.some(({ set }) => set.name === name) &&
    problem(`${path}.name`, found(name), 'a name that the list has only once')
  );
}

function rowProblems({ headers = [], body = [], events = [] }: OwnHints, path: string): Findings {
  if (headers.length + body.length + events.length === 0) {
    return problem(path, 'an object without rows', 'at least one row in "headers", "body" or "events"');
  }
  const allowed = 'the name of a header that no other row of this object reads';
  return [
    headers.map(
      ({ name }, index) =>
        isRepeated(headers, name, index) && problem(`${path}.headers[${index}].name`, found(name), allowed),
    ),
    body.map((row, index) => bodyProblems(row, `${path}.body[${index}]`)),
    events.map((row, index) => eventProblems(row, `${path}.events[${index}]`)),
  ];
}

function isRepeated(rows: readonly { readonly name: string }[], name: string, index: number): boolean {
  return rows.slice(0, index).some((row) => row.name.toLowerCase() === name.toLowerCase());
}

function asksForRetry({ means }: OwnBodyHint | OwnEventHint): boolean {
  return means === 'throttled' || means === 'transient';
}

/** Without `at`, there is no value to look at: the name alone tells. */
function eventProblems(row: OwnEventHint, path: string): Findings {
  const { event, at, is, unit } = row;
  if (event === undefined && at === undefined) {
    return problem(path, 'a row for every event', 'one with "event" or "at"');
  }
  const needsAt = 'nothing, unless "at" says where the value is';
  return [
    is !== undefined && at === undefined && problem(`${path}.is`, 'a list of values', needsAt),
    unit !== undefined && at === undefined && problem(`${path}.unit`, found(unit), needsAt),
    bodyProblems(row, path),
  ];
}

function bodyProblems(row: OwnBodyHint | OwnEventHint, path: string): Findings {
  const { is, unit, means, evidence, evenWithData } = row;
  if (unit === undefined && means === undefined) {
    const advice = 'Write "unit" if a wait stands there, or "means" if the value says what the answer means.';
    return problem(path, 'a row that says nothing', 'one with "unit" or "means"', advice);
  }
  const isRetry = asksForRetry(row);
  const retry = '"throttled" or "transient"';
  const needsRetry = `nothing, unless "means" is ${retry}`;
  return [
    is !== undefined &&
      unit !== undefined &&
      problem(`${path}.is`, 'a list of values beside "unit"', 'nothing: a wait has no such list'),
    evidence === 'refused' && !isRetry && problem(`${path}.evidence`, found(evidence), needsRetry),
    evenWithData === true && !isRetry && problem(`${path}.evenWithData`, found(evenWithData), needsRetry),
    unit !== undefined &&
      means !== undefined &&
      !isRetry &&
      problem(`${path}.means`, found(means), `${retry}, or nothing: a wait stands there`),
  ];
}
