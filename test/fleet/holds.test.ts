/** A hold of several processes: what they know of each other's answers, and of the queue. */

import { expect, test } from 'vitest';
import type { FleetRecord } from '../../src/core/limits/fleet/messages.js';
import type { HoldRecord } from '../../src/core/limits/hold/record.js';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { answered } from '../kit.js';
import type { Process } from './kit.js';
import { Fleets } from './kit.js';

const policy: PolicyOptions = {
  retry: false,
  budget: false,
  hintJitter: 0,
  deadlineMs: 60_000,
  hold: { refusedShare: 0, spacingMs: 50, maxQueueMs: 20_000 },
};

/** A process has been told to wait, and all know it. */
function held(count: number): Fleets {
  const fleets = new Fleets(policy, count);
  fleets.every(50 / count, 3_000, (process) => process.ask());
  fleets.at(0).ask(answered(429, { 'retry-after': '5' }));
  fleets.pass(50);
  return fleets;
}

function countExchanges({ link }: Process): { count: number } {
  const counted = { count: 0 };
  const exchange = link.exchange.bind(link);
  link.exchange = (reports, told) => {
    counted.count += 1;
    exchange(reports, told);
  };
  return counted;
}

test('while a request waits for the time of its place, its process hears what the others are answered', () => {
  const fleets = held(2);
  const waiting = fleets.at(1).open();
  expect(waiting.admit().kind).toBe('wait');
  fleets.pass(200);
  expect(waiting.admit().kind).toBe('wait');
  const heard = countExchanges(fleets.at(1));
  fleets.pass(4_000);
  expect(heard.count).toBeGreaterThanOrEqual(30);
  while (waiting.admit().kind === 'wait') fleets.pass(10);
  waiting.acceptAtOnce(200);
  // After the answer, it is silent.
  fleets.pass(2_000);
  const before = heard.count;
  fleets.pass(20_000);
  expect(heard.count).toBe(before);
});

/** Its answers come only when they are let through. */
function keepAnswers({ link }: Process): (() => void)[] {
  const kept: (() => void)[] = [];
  const exchange = link.exchange.bind(link);
  link.exchange = (reports, told) => exchange(reports, (facts) => kept.push(() => told(facts)));
  return kept;
}

function holdIn({ store }: Fleets): FleetRecord | undefined {
  return store.recordOf(store.keys().find((key) => key.includes(' hold ')) ?? '');
}

test('an answer that was under way when the news of a hold came says nothing about it', () => {
  const fleets = new Fleets(policy, 2);
  fleets.every(25, 3_000, (process) => process.ask());
  const answers = keepAnswers(fleets.at(1));
  fleets.at(1).ask();
  fleets.pass(110);
  expect(answers.length).toBe(1);
  fleets.at(0).ask(answered(429, { 'retry-after': '5' }));
  fleets.pass(50);
  expect(fleets.at(1).open().admit().kind).toBe('wait');
  const before = holdIn(fleets);
  for (const answer of answers.splice(0)) answer();
  fleets.pass(120);
  for (const answer of answers.splice(0)) answer();
  fleets.pass(120);
  expect(holdIn(fleets)).toMatchObject({ limit: 'hold', turn: 1, until: (before as HoldRecord).until });
});

test('places are given out half a second ahead, so that few are lost if the pace slows down', () => {
  const fleets = held(2);
  const sessions = Array.from({ length: 100 }, (_, index) => fleets.at(index % 2).open());
  fleets.every(50, 2_000, () => {
    for (const session of sessions) expect(session.admit().kind).toBe('wait');
  });
  const { places, nextPlace, spacingMs, until } = holdIn(fleets) as HoldRecord;
  expect(until).toBeGreaterThan(fleets.now);
  expect(nextPlace).toBeGreaterThan(places);
  expect((nextPlace - places) * spacingMs).toBeLessThan(600);
  // Those without a place need not ask again before the window is over.
  const last = sessions.at(-1)?.admit();
  expect(last).toMatchObject({ kind: 'wait', why: 'hold' });
  const wakesAt = fleets.now + (last?.kind === 'wait' ? last.delayMs : 0);
  expect(Math.abs(wakesAt - until)).toBeLessThan(20);
});
