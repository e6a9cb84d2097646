/**
 * Kinds of requests, by rule, method, path and names in the query. What fails of one kind (a long poll, a report that takes too long) says
 * nothing about another. So a shut gate lets a kind pass that was not seen to fail, and learns from it.
 */

import type { Gate } from './setting.js';

/** A number that stands for a rule, a method, a path and names in the query; different ones are hardly ever the same. */
export type Kind = number;

/** When a kind was last seen to fail, or was let pass to be tried. */
export interface Tried {
  readonly kind: Kind;
  readonly at: number;
  /** It was let pass; `'out'`: and is not known to have failed. */
  readonly trial: 'none' | 'out' | 'over';
  /** It was not known when it was let pass. */
  readonly isNew: boolean;
}

/** What a shut gate knows of kinds. In a fleet, it has a lease or waits for one, and knows how many processes there are. */
interface Trials {
  readonly tried: readonly Tried[];
  readonly leaseUntil?: number;
  readonly processes?: number;
}

/** More kinds than this are not remembered. */
const mostKinds = 64;

/**
 * Each kind may be tried again after this many intervals between probes. In a fleet, where one process probes for all,
 * those that shut the gate are left to the probes.
 */
const triedIntervals = 10;
/** So many new kinds may be tried within that time, by all processes. */
const mostNew = 8;

/** How long the others of its kind wait for what becomes of the one that is tried. */
export const trialPatienceMs = 2_000;

/** Segments further down belong to things, not to kinds of requests. */
const mostSegments = 6;
/** Of the query, whose values belong to things: a poll may differ from a look only by the name of a parameter. */
const mostParameters = 8;

export function kindOf(rule: string, method: string, url: string): Kind {
  const [, path = '', query = ''] = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  const segments = (path || '/').split('/', mostSegments + 1).map(nameIn);
  const parameters = query === '' ? '' : parametersIn(query);
  return hashOf(`${rule} ${method.toUpperCase()} ${segments.join('/')} ${parameters}`);
}

/** In whatever order they stand. */
function parametersIn(query: string): string {
  const names = query.split('&', mostParameters).map((parameter) => nameIn(parameter.split('=', 1)[0] ?? ''));
  return [...new Set(names)].sort().join('&');
}

function nameIn(part: string): string {
  return isName(part) ? part : ':';
}

/** Not an identifier: it has no digits, except for those of a version, and is not very long. */
function isName(segment: string): boolean {
  return segment.length <= 40 && (!/\d/.test(segment) || /^v\d+$/i.test(segment));
}

/** FNV-1a, in 32 bits. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return hash >>> 0;
}

export function withKind(kinds: readonly Kind[], kind: Kind): readonly Kind[] {
  return kinds.length >= mostKinds || kinds.includes(kind) ? kinds : [...kinds, kind];
}

/** Whether a kind is known to have succeeded, and not to have failed since the gate was open. */
export function isWell(
  { failing, well }: { readonly failing: readonly Kind[] | undefined; readonly well: readonly Kind[] },
  kind: Kind,
): boolean {
  const isKnown = failing !== undefined && failing.length < mostKinds;
  return isKnown && well.includes(kind) && !failing.includes(kind);
}

export function seenToFail(kinds: readonly Kind[], now: number): readonly Tried[] {
  return kinds.map((kind) => failing(kind, now));
}

function failing(kind: Kind, at: number): Tried {
  return { kind, at, trial: 'none', isNew: false };
}

/** It has failed while the gate was shut. */
export function afterTrial(tried: readonly Tried[], kind: Kind, now: number): readonly Tried[] {
  const known = tried.find((one) => one.kind === kind);
  if (known === undefined) return remembering(tried, failing(kind, now));
  return known.trial === 'out' ? remembering(tried, { ...known, trial: 'over' }) : tried;
}

export type Trial = 'go' | 'wait' | 'known';

/** Whether an attempt of this kind may pass, waits for one that has passed, or is known to fail. */
export function trialOf(
  { probeMs }: Gate,
  { tried, leaseUntil, processes }: Trials,
  kind: Kind,
  now: number,
): Trial {
  const isShared = leaseUntil !== undefined;
  // Not by news that the record has not confirmed.
  if (isShared && processes === undefined) return 'known';
  const among = processes ?? 1;
  const known = tried.find((one) => one.kind === kind);
  if (known === undefined) {
    const withinMs = triedIntervals * probeMs * Math.max(1, among / mostNew);
    const recent = tried.filter(({ at, isNew }) => isNew && now - at < withinMs);
    return recent.length < Math.max(1, Math.floor(mostNew / among)) ? 'go' : 'known';
  }
  const isForProbes = isShared && known.trial === 'none';
  if (!isForProbes && now - known.at >= triedIntervals * probeMs * among) return 'go';
  return known.trial === 'out' && now - known.at < trialPatienceMs ? 'wait' : 'known';
}

export function onTrial(tried: readonly Tried[], kind: Kind, now: number): readonly Tried[] {
  const isNew = tried.every((one) => one.kind !== kind);
  return remembering(tried, { kind, at: now, trial: 'out', isNew });
}

/** The last one comes last; the first ones are forgotten. */
function remembering(tried: readonly Tried[], one: Tried): readonly Tried[] {
  return [...tried.filter(({ kind }) => kind !== one.kind), one].slice(-mostKinds);
}

// ---------------------------------------------------------------- as text, for messages

export function textOfKinds(kinds: readonly Kind[]): string {
  return kinds.map((kind) => kind.toString(36)).join(' ');
}

export function kindsIn(text = ''): readonly Kind[] {
  return text
    .split(' ')
    .slice(0, mostKinds)
    .map((word) => Number.parseInt(word, 36))
    .filter((kind) => kind >= 0);
}
