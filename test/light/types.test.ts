/** What editors underline: a setting whose part is not in the list, with what to import. */

import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../scripts/editor.js';

const head = `
import { definePolicy } from 'undaunted/light';
import { withRetry } from 'undaunted/light/fetch';
import { attachRetry, type AttachableInstance } from 'undaunted/light/axios';
import { adaptiveTimeout, bodyDeadline, gate, hedge, hold, hooks, overrides, rules, slidingWindow, streams, streamStart, wholeAnswers, type Part } from 'undaunted/parts';
import { github, ownHints, vendors } from 'undaunted/parts/hints';
import { presets } from 'undaunted';
declare const instance: AttachableInstance;
declare const some: readonly Part[];
export { adaptiveTimeout, bodyDeadline, gate, hedge, hold, hooks, overrides, rules, slidingWindow, streams, streamStart, wholeAnswers, github, ownHints, vendors, presets, some, instance, attachRetry, withRetry, definePolicy };
`;

const needs = (name: string): string => `needs import { ${name} } from 'undaunted/parts'`;

const wrong: readonly (readonly [program: string, sentence: string])[] = [
  ['definePolicy({ hold: true });', needs('hold')],
  ['definePolicy({ hold: true }, [gate]);', needs('hold')],
  ['definePolicy({ gate: { failures: 3 } }, [hold]);', needs('gate')],
  ['definePolicy({ hedge: true });', needs('hedge')],
  ['definePolicy({ concurrency: 3 });', needs('concurrency')],
  ['definePolicy({ attemptTimeoutMs: { maxMs: 1_000 } });', needs('adaptiveTimeout')],
  ['definePolicy({ bufferBodyBytes: 1_000 });', needs('streams')],
  ['definePolicy({ retryIf: () => true });', needs('hooks')],
  ['definePolicy({ wholeBodyBytes: 1_000 });', needs('wholeAnswers')],
  ['definePolicy({ streamStart: { maxMs: 100 } });', needs('streamStart')],
  ["definePolicy({ rules: [{ match: '/a' }] });", needs('rules')],
  ["definePolicy({ rules: [{ match: '/a', gate: true }] }, [rules]);", needs('gate')],
  ["definePolicy({ hints: 'github' });", "needs its import from 'undaunted/parts/hints'"],
  ["definePolicy({ hints: ['okta'] }, [github]);", "needs its import from 'undaunted/parts/hints'"],
  ['withRetry(fetch, { gate: true }, [hold]);', needs('gate')],
  ['withRetry(undefined, { gate: true }, [hold]);', needs('gate')],
  ["withRetry(fetch, {}, [overrides])('/', { retry: { bufferBodyBytes: 9 } });", needs('streams')],
  ["withRetry(fetch)('/', { method: 'PUT', body: () => 'a' });", needs('streams')],
  ["definePolicy({ deadlineMs: 9, deadlineCovers: 'body' });", needs('bodyDeadline')],
  ["withRetry(fetch, {}, [hold])('/', { retry: { maxRetries: 1 } });", needs('overrides')],
  ["definePolicy({ budget: { kind: 'window' } });", needs('slidingWindow')],
  ['attachRetry(instance, { hold: true });', needs('hold')],
  ['definePolicy({ maxRetrys: 1 });', 'maxRetrys'],
];

const right: readonly string[] = [
  'definePolicy();',
  'definePolicy({ maxRetries: 2, gate: false, hold: false, attemptTimeoutMs: 100, bufferBodyBytes: 0, wholeBodyBytes: 0, streamStart: false });',
  'definePolicy({ gate: true, hold: true }, [hold, gate]);',
  'definePolicy(presets.policies.service, [hold, gate, wholeAnswers]);',
  'definePolicy(presets.policies.llm, [wholeAnswers, streamStart, vendors]);',
  "definePolicy({ rules: [{ match: '/a', hold: { minMs: 1 } }] }, [rules, hold]);",
  "definePolicy({ hints: ['github', 'common'] }, [github]);",
  "definePolicy({ hints: 'okta' }, [vendors]);",
  "definePolicy({ hints: ['common', { name: 'a', headers: [{ name: 'x-a', unit: 's' }] }] }, [ownHints]);",
  'definePolicy({ hold: true }, some);',
  'definePolicy(definePolicy({}));',
  'withRetry(fetch, definePolicy({ gate: true }, [gate]));',
  "withRetry(fetch, { retryIf: ({ kind }) => kind === 'error' }, [streams, hooks, overrides])('/', { retry: { bufferBodyBytes: 9 } });",
  "withRetry(fetch, {})('/', { retry: false });",
  "definePolicy({ budget: { kind: 'window' } }, [slidingWindow]);",
  'definePolicy({ budget: { capacity: 9 } });',
  'withRetry(undefined, { hedge: true, attemptTimeoutMs: { maxMs: 9 } }, [hedge, adaptiveTimeout]);',
  'attachRetry(instance, { bufferBodyBytes: 9 }, [streams]);',
  "withRetry(fetch, {}, [streams])('/', { method: 'PUT', body: () => 'a' });",
  "withRetry(fetch, { deadlineMs: 9, deadlineCovers: 'body' }, [bodyDeadline])('/', { method: 'PUT', body: 'a' });",
];

describe('in an editor', () => {
  const problems = problemsOf([
    ...wrong.map(([program]) => head + program),
    ...right.map((one) => head + one),
  ]);

  test.each(wrong)('%s', (program, sentence) => {
    const found = problems[wrong.findIndex(([one]) => one === program)] ?? [];
    expect(found.join(' ')).toContain(sentence);
  });

  test.each(right)('%s', (program) => {
    expect(problems[wrong.length + right.indexOf(program)]).toEqual([]);
  });
});
