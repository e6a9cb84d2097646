/** Hints of one's own that cannot work as written: rows that contradict themselves, and rows that nothing reads. */

import type { Problem } from '../../errors.js';
import { found, quote } from '../../found.js';
import type { OwnBodyHint, OwnEventHint, OwnHints } from '../../hints/own.js';
import { hintSetNames } from '../../hints/sets.js';
import { isHintStatus } from '../../hints/statuses.js';
import { type Level, problem } from './level.js';
import { pathTo } from './wording.js';

/** Names and rows, whatever else is set. */
export function ownHintProblems(level: Level): readonly Problem[] {
  const names: string[] = [];
  return ownSetsOf(level).flatMap(({ set, path }) => {
    const problems = [...nameProblems(set, names, path), ...rowProblems(set, path)];
    names.push(set.name);
    return problems;
  });
}

/** A wait says how long, and never whether: a status that is not retried needs something that asks for it. */
export function idleStatusProblems(level: Level): readonly Problem[] {
  const { retried } = level.settings.statuses;
  return ownSetsOf(level).flatMap(({ set: { statuses = [], body = [] }, path }) =>
    statuses.flatMap((status, index) => {
      const isEmpty = status === 204 || status === 205;
      if ((body.some(asksForRetry) && !isEmpty) || retried.has(status) || isHintStatus(status)) return [];
      return [
        {
          path: `${path}.statuses[${index}]`,
          found: found(status),
          allowed: 'a status after which something says that a retry is worth it',
          advice: isEmpty ? 'Leave it out: such an answer has no body.' : adviceOnIdle(status),
        },
      ];
    }),
  );
}

function adviceOnIdle(status: number): string {
  return status < 300
    ? 'Add a row to "body" whose "means" says when such an answer is a failure.'
    : `Add a row to "body" whose "means" says when to retry, or ${status} to the setting statuses.`;
}

export function unreadRowProblems(level: Level): readonly Problem[] {
  if (level.settings.bodyHintBytes > 0) return [];
  return ownSetsOf(level).flatMap(({ set: { body = [] }, path }) =>
    body.length === 0
      ? []
      : [
          {
            path: `${path}.body`,
            found: 'rows that nothing reads',
            allowed: 'none where bodyHintBytes is 0',
            advice: 'Leave bodyHintBytes out to read up to 16384 bytes.',
          },
        ],
  );
}

/** Vendors' rows for streams read nothing either then, but those are not written for it. */
export function unreadEventProblems(level: Level): readonly Problem[] {
  if (level.settings.streamStart !== false) return [];
  const allowed = 'none where streamStart is false';
  // Asked of a rule, whether it is of any use there.
  if (level.own.hints === undefined) return problem('hints', 'rows that nothing reads', allowed);
  return ownSetsOf(level).flatMap(({ set: { events = [] }, path }) =>
    events.length === 0
      ? []
      : [
          {
            path: `${path}.events`,
            found: 'rows that nothing reads',
            allowed,
            advice: 'Set streamStart: { } to wait for the first event of a stream.',
          },
        ],
  );
}

function ownSetsOf({ own: { hints = false } }: Level): readonly { set: OwnHints; path: string }[] {
  return [hints].flat().flatMap((set, index) => {
    const path = Array.isArray(hints) ? pathTo('hints', index) : 'hints';
    return typeof set === 'object' ? [{ set, path }] : [];
  });
}

function nameProblems({ name }: OwnHints, before: readonly string[], path: string): readonly Problem[] {
  const isOfSet = hintSetNames.some((known) => known === name);
  if (!isOfSet && !before.includes(name)) return [];
  const taken = isOfSet ? 'a name that no set of hints has' : 'a name that the list has only once';
  return [
    {
      path: `${path}.name`,
      found: found(name),
      allowed: taken,
      ...(isOfSet && { advice: `To read both, name the set beside this object: [${quote(name)}, { … }].` }),
    },
  ];
}

function rowProblems({ headers = [], body = [], events = [] }: OwnHints, path: string): readonly Problem[] {
  if (headers.length + body.length + events.length === 0) {
    const allowed = 'at least one row in "headers", "body" or "events"';
    return [{ path, found: 'an object without rows', allowed }];
  }
  return [
    ...headers.flatMap(({ name }, index) =>
      isRepeated(headers, name, index)
        ? problem(
            `${path}.headers[${index}].name`,
            found(name),
            'the name of a header that no other row of this object reads',
          )
        : [],
    ),
    ...body.flatMap((row, index) => bodyProblems(row, `${path}.body[${index}]`)),
    ...events.flatMap((row, index) => eventProblems(row, `${path}.events[${index}]`)),
  ];
}

function isRepeated(rows: readonly { readonly name: string }[], name: string, index: number): boolean {
  return rows.slice(0, index).some((row) => row.name.toLowerCase() === name.toLowerCase());
}

function asksForRetry({ means }: OwnBodyHint | OwnEventHint): boolean {
  return means === 'throttled' || means === 'transient';
}

/** Without `at`, there is no value to look at: the name alone tells. */
function eventProblems(row: OwnEventHint, path: string): readonly Problem[] {
  const { event, at, is, unit } = row;
  if (event === undefined && at === undefined) {
    return [{ path, found: 'a row for every event', allowed: 'one with "event" or "at"' }];
  }
  const needsAt = 'nothing, unless "at" says where the value is';
  return [
    ...(is !== undefined && at === undefined ? problem(`${path}.is`, 'a list of values', needsAt) : []),
    ...(unit !== undefined && at === undefined ? problem(`${path}.unit`, found(unit), needsAt) : []),
    ...bodyProblems(row, path),
  ];
}

function bodyProblems(row: OwnBodyHint | OwnEventHint, path: string): readonly Problem[] {
  const { is, unit, means, evidence, evenWithData } = row;
  if (unit === undefined && means === undefined) {
    const advice = 'Write "unit" if a wait stands there, or "means" if the value says what the answer means.';
    return [{ path, found: 'a row that says nothing', allowed: 'one with "unit" or "means"', advice }];
  }
  const isRetry = asksForRetry(row);
  const retry = '"throttled" or "transient"';
  const needsRetry = `nothing, unless "means" is ${retry}`;
  return [
    ...(is !== undefined && unit !== undefined
      ? problem(`${path}.is`, 'a list of values beside "unit"', 'nothing: a wait has no such list')
      : []),
    ...(evidence === 'refused' && !isRetry ? problem(`${path}.evidence`, found(evidence), needsRetry) : []),
    ...(evenWithData === true && !isRetry
      ? problem(`${path}.evenWithData`, found(evenWithData), needsRetry)
      : []),
    ...(unit !== undefined && means !== undefined && !isRetry
      ? problem(`${path}.means`, found(means), `${retry}, or nothing: a wait stands there`)
      : []),
  ];
}
