/** Finds everything that is wrong with a policy at once: structure, patterns, contradictions. */

import type { Problem } from '../../errors.js';
import { PolicyError } from '../../errors.js';
import { found as foundText } from '../../found.js';
import { freezeDeep } from '../../freeze.js';
import { isObject } from '../../is-object.js';
import { defaultSettings, fillIn } from '../fill-in.js';
import type { OverrideOptions, PolicyOptions, RuleOptions, SettingsOptions } from '../options.js';
import { missingIn, type Part, type Parts } from '../parts.js';
import type { Settings } from '../settings.js';
import { findContradictions } from './contradictions.js';
import type { JsonSchema } from './json-schema.js';
import type { Level } from './level.js';
import { patternProblems } from './rule-contradictions.js';
import { overrideSchema, policySchema } from './schema.js';
import type { Structure } from './structure.js';
import { checkStructure, mostProblems } from './structure.js';
import { pathTo, problem } from './wording.js';

/** All problems of a policy's options. */
export function problemsOfPolicy(options: unknown, parts: Parts): readonly Problem[] {
  return judged(policySchema(), options, parts).problems;
}

/** A plain copy of the checked options, since a getter may return something else the next time. Throws if there are problems. */
export function checkedPolicy(options: unknown, parts: Parts): PolicyOptions {
  return soundOnly(judged(policySchema(), options, parts)) as PolicyOptions;
}

/** All problems of a single request's settings. Keys that it does not set depend on the rule, and are not judged. */
export function problemsOfOverride(options: unknown, parts: Parts): readonly Problem[] {
  return judged(overrideSchema(), options, parts, true).problems;
}

/** A plain copy of the checked settings. Throws if there are problems. */
export function checkedOverride(options: unknown, parts: Parts): OverrideOptions {
  return soundOnly(judged(overrideSchema(), options, parts, true)) as OverrideOptions;
}

function soundOnly({ problems, sound }: Structure): unknown {
  if (problems.length > 0) throw new PolicyError(problems);
  return freezeDeep(sound as object);
}

/** The structure, with all problems that go beyond it. */
function judged(schema: JsonSchema, options: unknown, parts: Parts, isOverride = false): Structure {
  const structure = checkStructure(schema, options);
  const sound = (structure.sound ?? {}) as SoundPolicy;
  const problems = [
    ...structure.problems.map((problem) => withAdvice(problem, options)),
    ...missingIn(sound, parts),
  ];
  if (problems.length >= mostProblems) return { ...structure, problems: inOrder(problems) };
  const faults = faultySettings(problems);
  // Stryker disable next-line ArrayDeclaration: what is no object has no settings.
  const { rules = [], ...top } = sound;
  const own = withoutFaults('', top, faults);
  const base = levelOf('', own, defaultSettings(parts), parts, (key) =>
    isOverride ? own[key] !== undefined : !faults.has(key),
  );
  const soundRules = rules.map((rule = {}, index) => withoutFaults(`rules[${index}]`, rule, faults));
  const levels = soundRules.map((rule, index) => {
    const path = `rules[${index}]`;
    return levelOf(path, rule, base.settings, parts, (key) =>
      rule[key] === undefined ? !faults.has(pathTo(path, key)) && base.knows(key) : true,
    );
  });
  const all = [...problems, ...patternProblems(soundRules), ...findContradictions(base, levels)];
  return { ...structure, problems: inOrder(all).slice(0, mostProblems) };
}

/** The policy's own problems, then rule by rule. */
function inOrder(problems: Problem[]): Problem[] {
  return problems.sort((one, other) => ruleOf(one) - ruleOf(other));
}

function ruleOf({ path }: Problem): number {
  return Number(/^rules\[(\d+)\]/.exec(path)?.[1] ?? -1);
}

function withAdvice(problem: Problem, options: unknown): Problem {
  const advice = problem.path === '' ? adviceOnStranger(options) : undefined;
  return advice === undefined ? problem : { ...problem, advice };
}

/** Elsewhere, a number in its place says how many retries; a client's own may be handed on, as ofetch does with its one. */
function adviceOnStranger(options: unknown): string | undefined {
  // A client, most likely; or a class of settings.
  if (typeof options === 'function' || isObject(options)) {
    return 'Write the settings as a plain object. A client belongs to compose(retry()), attachRetry() or withRetry().';
  }
  if (typeof options !== 'number') return undefined;
  const count = Number.isInteger(options) && options >= 0 ? options : 2;
  return `Write { maxRetries: ${count} }; if it belongs to another library, remove it before the call.`;
}

/** An invalid rule is undefined here. */
interface SoundPolicy extends Omit<PolicyOptions, 'rules'> {
  readonly rules?: readonly (Partial<RuleOptions> | undefined)[];
}

/** Paths of settings with a fault in them, however deep: `rules[2].schedule`. */
function faultySettings(problems: readonly Problem[]): ReadonlySet<string> {
  return new Set(problems.map(({ path }) => /^(?:rules\[\d+\]\.)?\w+/.exec(path)?.[0] ?? path));
}

/** A setting with a fault anywhere in it is not judged any further. */
function withoutFaults<T extends object>(path: string, options: T, faults: ReadonlySet<string>): Partial<T> {
  if (faults.size === 0) return options;
  const sound = Object.entries(options).filter(([key]) => !faults.has(pathTo(path, key)));
  return Object.fromEntries(sound) as Partial<T>;
}

function levelOf(
  path: string,
  own: SettingsOptions,
  inherited: Settings,
  parts: Parts,
  knows: Level['knows'],
): Level {
  return { path, own, settings: fillIn(own, inherited, parts), knows };
}

// ---------------------------------------------------------------- text in the place of a policy

/** `isName`: where options are expected, and not data from outside. */
export function refuseText(given: unknown, isName: boolean): void {
  if (typeof given !== 'string') return;
  // Data is not quoted: it may contain secrets.
  const what = isName ? foundText(given) : 'a string';
  const advice = isName ? adviceOnName(given) : 'Parse the JSON first: parsePolicy(JSON.parse(text)).';
  throw new PolicyError([problem('', what, 'an object', advice)]);
}

/** The command line takes names, and so people try them here. */
function adviceOnName(given: string): string {
  const preset = given === 'llm' ? given : 'service';
  return `Write presets.policies.${preset}, with the presets of "undaunted", or settings.`;
}

// ---------------------------------------------------------------- the parts that a program names

export function refuseStranger(given: unknown): void {
  if (typeof (given as Partial<Part> | undefined)?.part === 'string') return;
  const example = `import { rules } from ${"'undaunted/parts'"}`;
  throw new TypeError(
    `undaunted: the list after the policy takes parts, such as ${example}, but got ${foundText(given)}`,
  );
}
