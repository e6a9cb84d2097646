/** An attempt that has ended, and everything that a policy needs to decide, as one value that can be varied. */

import type {
  Attempt,
  Decision,
  ErrorOutcome,
  Finding,
  History,
  Policy,
  RequestFacts,
  ResponseOutcome,
  Rule,
  RuleOptions,
  Settings,
  SettingsOptions,
  World,
} from '../../../index.js';
import { decide, definePolicy } from '../../../index.js';
import { checkPolicy, classify, fullBudget, scheduledWait, takesKey } from '../../../internal.js';

export type LiveOutcome = ResponseOutcome | ErrorOutcome;

export interface Question<Outcome extends LiveOutcome = LiveOutcome> {
  readonly policy: Policy;
  /** Levels of the policy that are written differently here: rules by their index, and -1 for its own settings. */
  readonly changed?: ReadonlyMap<number, SettingsOptions>;
  /** As the caller sends it, without a key that the rule adds. */
  readonly request: RequestFacts;
  readonly outcome: Outcome;
  /** The attempt that has just ended, from 1. */
  readonly attempt: number;
  /** Since the request began; undefined: the sum of the waits so far. */
  readonly elapsedMs: number | undefined;
  readonly replayable: boolean;
  /** Wall time, for dates that the server sent. */
  readonly date: number;
}

export interface Answer {
  readonly rule: Rule;
  /** By the caller or by the rule. */
  readonly keyed: boolean;
  readonly elapsedMs: number;
  readonly decision: Decision;
}

/** With jitter, the wait in the middle. */
const middle = 0.5;

/** Assumes an untouched scope: the budget is full and the gate is open. */
export function answer(question: Question, draw: number = middle): Answer {
  const { request, outcome, replayable, date } = question;
  const rule = ruleFor(question);
  const { settings } = rule;
  const keyed = request.keyed || (settings.idempotencyKey !== false && takesKey(request.method));
  const finding = classify(settings, outcome, date);
  const history = earlierAttempts(settings, finding, question.attempt - 1);
  const elapsedMs = question.elapsedMs ?? history.at(-1)?.endedAt ?? 0;
  const world: World = {
    request: { method: request.method, keyed },
    replayable,
    startedAt: 0,
    now: elapsedMs,
    date,
    random: draw,
    budget: settings.budget === false ? undefined : fullBudget(settings.budget, elapsedMs),
    gateShut: false,
    verdict: undefined,
  };
  return { rule, keyed, elapsedMs, decision: decide(settings, history, finding, world, outcome) };
}

/** A change of settings leaves the patterns as they are: only the rule that applies is read again, not all of them. */
export function ruleFor(question: Pick<Question, 'policy' | 'changed' | 'request'>): Rule {
  const { policy, changed, request } = question;
  const rule = policy.ruleFor(request);
  const isChanged = changed !== undefined && (changed.has(-1) || changed.has(rule.index));
  if (!isChanged) return rule;
  const rules = rule.index < 0 ? [] : [levelOf(question, rule.index) as RuleOptions];
  const { rules: [own] = [], fallback } = definePolicy({ ...levelOf(question, -1), rules });
  return { ...rule, settings: (own ?? fallback).settings };
}

/** What is written there. */
export function levelOf(
  { policy, changed }: Pick<Question, 'policy' | 'changed'>,
  index: number,
): SettingsOptions {
  const { rules = [], ...top } = policy.toJSON();
  return changed?.get(index) ?? rules[index] ?? top;
}

export function withLevel(question: Question, index: number, level: SettingsOptions): Question {
  return { ...question, changed: new Map(question.changed).set(index, level) };
}

/** Where many rules inherit, the first of those that differ stand for all. */
const mostHeirs = 100;

/** Whether other rules, too, can inherit what has changed for all requests. */
export function fitsOtherRules(question: Question): boolean {
  if (question.changed?.has(-1) !== true) return true;
  const heirs = new Map<string, SettingsOptions>();
  for (const { match, name, ...settings } of question.policy.toJSON().rules ?? []) {
    if (heirs.size === mostHeirs) break;
    heirs.set(JSON.stringify(settings), settings);
  }
  const rules = [...heirs.values()].map((settings, index) => ({ ...settings, match: `/${index}` }));
  return checkPolicy({ ...levelOf(question, -1), rules }).length === 0;
}

/** As if they had failed in the same way, each at once, and had waited as the schedule says. */
function earlierAttempts(settings: Settings, finding: Finding, count: number): History {
  const waitFrom = finding.class === 'throttled' ? 'throttledSchedule' : 'schedule';
  const attempts: Attempt[] = [];
  let delayMs: number | undefined;
  let endedAt = 0;
  for (let number = 1; number <= count; number += 1) {
    delayMs = scheduledWait(settings[waitFrom], number, delayMs, middle);
    endedAt += delayMs;
    const reason = 'transient-status';
    const decision = {
      action: 'retry',
      reason,
      attempt: number,
      finding,
      delayMs,
      waitFrom,
      cost: 0,
    } as const;
    attempts.push({ endedAt, decision });
  }
  return attempts;
}
