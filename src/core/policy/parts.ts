/**
 * The parts of the library that an installation may do without, as values by their names. A policy carries those that it was
 * defined with, and all code that works for it finds them there. What a policy asks for and its parts do not have is a
 * problem of the policy, never ignored.
 */

import { readPageFailure } from '../decide/failures/page.js';
import type { FailureReader } from '../decide/failures/row.js';
import type { Problem, Remark } from '../errors.js';
import { found } from '../found.js';
import { common, standard } from '../hints/bases.js';
import type { HintSetOption } from '../hints/own.js';
import { type CompileHints, compileBases } from '../hints/read-hint.js';
import type { HintSets } from '../hints/rows.js';
import { ownKey } from '../hints/rows.js';
import type { BodyReading } from '../hints/worth-reading.js';
import { type AskedFirst, orderOfAdmission } from '../limits/all.js';
import type { fillWindow } from '../limits/budget/window.js';
import type { RequestFacts } from '../types.js';
import type { OverrideOptions, PolicyOptions, RuleOptions, SettingsOptions } from './options.js';
import type { Settings } from './settings.js';

/** The names of the parts. The last two are in others: what all limits need that are asked, and what learns from answers. */
export type PartName =
  | 'check'
  | 'rules'
  | 'overrides'
  | 'hints'
  | 'bodyHints'
  | 'failures'
  | AskedFirst
  | 'slidingWindow'
  | 'hedge'
  | 'adaptiveTimeout'
  | 'streams'
  | 'wholeAnswers'
  | 'bodyDeadline'
  | 'streamStart'
  | 'credentials'
  | 'evidence'
  | 'hooks'
  | 'advice'
  | 'layers'
  | 'channels'
  | 'node'
  | 'admission'
  | 'learning';

/** A part as users see it. What it holds is known to those that use it. */
export interface Part<Name extends PartName = PartName> {
  readonly part: Name;
  /** Parts that it needs itself. */
  readonly needs?: readonly Part[];
}

/** A part that has a setting, or has to do with some. */
export interface Filling<Name extends PartName = PartName> extends Part<Name> {
  /** From the written form of its setting to the one that is read. */
  readonly fill?: (option: never, parts: Parts) => unknown;
  readonly settled?: Settled;
}

/** What else follows from a part, once everything that is written is filled in. */
export type Settled = (
  filled: Settings,
  options: SettingsOptions,
  inherited: Settings,
  parts: Parts,
) => Partial<Settings>;

/** Finds what is wrong with a policy, before it is used. */
export interface Check extends Part<'check'> {
  /** Returns a frozen copy of the options, or throws a `PolicyError`. */
  readonly checkedPolicy: (options: unknown, parts: Parts) => PolicyOptions;
  readonly checkedOverride: (options: unknown, parts: Parts) => OverrideOptions;
  /** Throws for a text in the place of a policy. */
  readonly refuseText: (given: unknown, isName: boolean) => void;
  readonly remarksOn: (rules: readonly RuleOptions[]) => readonly Remark[];
}

/** Finds the first of several patterns that matches a request. */
export interface Rules extends Part<'rules'> {
  readonly nameOf: (match: RuleOptions['match']) => string;
  readonly routesOf: (rules: readonly RuleOptions[]) => { match(request: RequestFacts): number };
}

/** The settings of single requests. */
export interface OverridesPart extends Part<'overrides'> {
  readonly Overrides: new (parts: Parts) => { over(inherited: Settings, options: OverrideOptions): Settings };
}

/** Hint sets, by their names. */
export interface Hints extends Part<'hints'> {
  readonly sets: HintSets;
  readonly compile: CompileHints;
}

/** The other kind of budget. */
export interface SlidingWindow extends Part<'slidingWindow'> {
  readonly fill: typeof fillWindow;
}

/** Hints in bodies, and in successes. */
export interface BodyHints extends Filling<'bodyHints'> {
  readonly bodies: BodyReading;
}

/** What is known of failures of the transport. */
export interface FailuresPart extends Part<'failures'> {
  readonly read: FailureReader;
}

/** Each limit that is asked before an attempt is a part. The budget is always there. */
type LimitParts = { readonly [K in AskedFirst]?: Filling<K> };

/** As far as the core knows them. The upper floors know more of each. */
export interface Parts extends LimitParts {
  readonly check?: Check;
  readonly rules?: Rules;
  readonly overrides?: OverridesPart;
  readonly hints: Hints;
  readonly bodyHints?: BodyHints;
  readonly failures: FailuresPart;
  readonly slidingWindow?: SlidingWindow;
  readonly hedge?: Filling<'hedge'>;
  readonly adaptiveTimeout?: Part<'adaptiveTimeout'>;
  readonly streams?: Part<'streams'>;
  readonly wholeAnswers?: Filling<'wholeAnswers'>;
  readonly bodyDeadline?: Part<'bodyDeadline'>;
  readonly streamStart?: Filling<'streamStart'>;
  readonly credentials?: Filling<'credentials'>;
  readonly evidence?: Part<'evidence'>;
  readonly hooks?: Part<'hooks'>;
  readonly advice?: Part<'advice'>;
  readonly layers?: Part<'layers'>;
  readonly channels?: Part<'channels'>;
  readonly node?: Part<'node'>;
  readonly admission?: Filling<'admission'>;
  readonly learning?: Filling<'learning'>;
}

/** What every installation has. */
export const essentials: Parts = /* @__PURE__ */ (() => ({
  hints: { part: 'hints', sets: { standard, common }, compile: compileBases },
  failures: { part: 'failures', read: readPageFailure },
}))();

// ---------------------------------------------------------------- what is missing

/** A policy, in which a rule that is invalid is undefined. */
interface Asking extends SettingsOptions {
  readonly rules?: readonly (SettingsOptions | undefined)[];
}

/** Everything that a policy asks for, at its top or in a rule, and that these parts do not have. */
export function missingIn({ rules = [], ...top }: Asking, parts: Parts): readonly Problem[] {
  return [
    ...missingAt('', top, parts),
    ...(rules.length > 0 && parts.rules === undefined ? [needsPart('rules', rules, 'nothing', 'rules')] : []),
    ...rules.flatMap((rule, index) => missingAt(`rules[${index}].`, rule ?? {}, parts)),
  ];
}

/** The same, of one rule or of the settings of a single request. */
export function missingAt(before: string, options: SettingsOptions, parts: Parts): readonly Problem[] {
  const { hints = [] } = options;
  return [
    ...asked.flatMap(([key, part, off, usual]) => {
      const option = options[key];
      if (option === undefined || option === off || typeof option === usual || part in parts) return [];
      return [needsPart(before + key, option, String(off), part, part === 'bodyHints' ? '/hints' : '')];
    }),
    ...(asksForWindow(options) && parts.slidingWindow === undefined
      ? [needsPart(`${before}budget`, options.budget, 'a bucket or false', 'slidingWindow')]
      : []),
    ...[hints || []]
      .flat()
      .filter((name) => name && !Object.hasOwn(parts.hints.sets, typeof name === 'string' ? name : ownKey))
      .map((name) => needsPart(`${before}hints`, name, 'a set that is there', camelCase(name), '/hints')),
  ];
}

function asksForWindow({ budget }: SettingsOptions): boolean {
  return typeof budget === 'object' && budget.kind === 'window';
}

/** Settings that need a part, unless they are off or of the usual type: what is allowed then comes third. */
const asked: readonly (readonly [
  key: keyof SettingsOptions,
  part: keyof Parts,
  off: unknown,
  usual?: 'number' | 'string',
])[] = /* @__PURE__ */ (() => [
  ...[...orderOfAdmission, 'hedge' as const, 'credentials' as const, 'streamStart' as const].map(
    (name) => [name, name, false] as const,
  ),
  ['attemptTimeoutMs', 'adaptiveTimeout', 'milliseconds', 'number'],
  ['scope', 'hooks', 'a name', 'string'],
  ['bufferBodyBytes', 'streams', 0],
  ['wholeBodyBytes', 'wholeAnswers', 0],
  ['bodyHintBytes', 'bodyHints', 0],
  ['deadlineCovers', 'bodyDeadline', 'head'],
  ['retryIf', 'hooks', 'nothing'],
  ['beforeRetry', 'hooks', 'nothing'],
])();

/** What to import. */
export function needsPart(path: string, option: unknown, allowed: string, part: string, entry = ''): Problem {
  const module = `'undaunted/parts${entry}'`;
  const advice = `${part} needs import { ${part} } from ${module}, given in the list after the policy`;
  return { path, found: found(option), allowed, advice };
}

/** `azure-openai` is exported as `azureOpenai`. */
function camelCase(name: HintSetOption): string {
  if (typeof name === 'object') return 'ownHints';
  return String(name).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
