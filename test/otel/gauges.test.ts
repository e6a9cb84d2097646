/** Budgets, gates and holds of the named retriers, at the time of a collection. */

import { expect, onTestFinished, test, vi } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import { fleetOver } from '../../src/fleet/fleet.js';
import { MemoryStore } from '../../src/fleet/memory/store.js';
import { createRetrier } from '../../src/index.js';
import type { Retrier } from '../../src/kernel/retrier.js';
import { instrument } from '../../src/otel/index.js';
import { answered, requestOf, VirtualTime } from '../kit.js';
import { openTelemetry, Telemetry } from './kit.js';

const time = new VirtualTime();
/** The scope's attributes. */
const scope = ['main', 'https://api.example.com'];

function retrierWith(policy: PolicyOptions): Retrier {
  return createRetrier(policy, time.ports());
}

async function brief(telemetry: Telemetry, name: string): Promise<unknown[]> {
  return (await telemetry.points(name)).map(({ attributes, value }) => [...Object.values(attributes), value]);
}

test('an unused scope is not shown, nor is a retrier that is not named', async () => {
  const named = retrierWith({});
  const telemetry = openTelemetry({ retriers: { named } });
  named.open(requestOf()).acceptAtOnce(200);
  retrierWith({}).open(requestOf()).next(answered(503), { replayable: true });
  expect(await brief(telemetry, 'undaunted.budget.tokens')).toEqual([]);
});

test('the budget, by retrier and scope', async () => {
  const [one, two] = [retrierWith({}), retrierWith({})];
  const telemetry = openTelemetry({ retriers: { one, two } });
  one.open(requestOf()).next(answered(503), { replayable: true });
  two.open(requestOf({ origin: 'https://other.example' })).next(answered(503), { replayable: true });
  two.open(requestOf({ origin: 'https://other.example' })).next(answered(503), { replayable: true });
  expect(await brief(telemetry, 'undaunted.budget.tokens')).toEqual([
    ['one', 'https://api.example.com', 49],
    ['two', 'https://other.example', 48],
  ]);
  one.open(requestOf()).next(answered(503), { replayable: true });
  expect((await brief(telemetry, 'undaunted.budget.tokens'))[0]).toEqual([
    'one',
    'https://api.example.com',
    48,
  ]);
});

test('of several budgets of one scope, the one with the fewest tokens', async () => {
  const budget = { capacity: 5 };
  const retrier = retrierWith({ rules: [{ match: '/scarce', budget }] });
  const telemetry = openTelemetry({ retriers: { main: retrier } });
  for (const path of ['/', '/scarce'])
    retrier.open(requestOf({ path })).next(answered(503), { replayable: true });
  expect(await brief(telemetry, 'undaunted.budget.tokens')).toEqual([[...scope, 4]]);
});

test('the state of the gate, and the requests that wait for it', async () => {
  const retrier = retrierWith({
    maxRetries: 0,
    deadlineMs: 60_000,
    gate: { failures: 2, deadForMs: 0, whenShut: 'wait' },
  });
  const telemetry = openTelemetry({ retriers: { main: retrier } });
  const fail = (): unknown => retrier.open(requestOf()).next(answered(503), { replayable: true });
  fail();
  expect(await brief(telemetry, 'undaunted.gate.state')).toEqual([
    [...scope, 'open', 1],
    [...scope, 'shut', 0],
    [...scope, 'ramping', 0],
  ]);
  fail();
  retrier.open(requestOf()).admit();
  expect(await brief(telemetry, 'undaunted.gate.state')).toEqual([
    [...scope, 'open', 0],
    [...scope, 'shut', 1],
    [...scope, 'ramping', 0],
  ]);
  expect(await brief(telemetry, 'undaunted.gate.waiting')).toEqual([[...scope, 1]]);
  retrier.open(requestOf()).acceptAtOnce(200);
  expect(await brief(telemetry, 'undaunted.gate.state')).toContainEqual([...scope, 'ramping', 1]);
});

test('how long a hold still lasts', async () => {
  const retrier = retrierWith({ hold: { refusedShare: 0 } });
  const telemetry = openTelemetry({ retriers: { main: retrier } });
  retrier.open(requestOf()).next(answered(429, { 'retry-after': '30' }), { replayable: true });
  await time.advance(10_000);
  expect(await brief(telemetry, 'undaunted.hold.remaining')).toEqual([[...scope, 20]]);
  await time.advance(60_000);
  expect(await brief(telemetry, 'undaunted.hold.remaining')).toEqual([[...scope, 0]]);
});

test('scopes beyond the limit are shown together', async () => {
  const retrier = retrierWith({ maxRetries: 1, gate: { failures: 2, deadForMs: 0 } });
  const telemetry = openTelemetry({ retriers: { main: retrier }, maxValues: 1 });
  const fail = (origin: string): unknown =>
    retrier.open(requestOf({ origin })).next(answered(503), { replayable: true });
  for (const origin of ['https://a.example', 'https://b.example', 'https://c.example', 'https://c.example']) {
    fail(origin);
  }
  expect(await brief(telemetry, 'undaunted.gate.state')).toEqual([
    ['main', 'https://a.example', 'open', 1],
    ['main', 'https://a.example', 'shut', 0],
    ['main', 'https://a.example', 'ramping', 0],
    ['main', '_OTHER', 'open', 1],
    ['main', '_OTHER', 'shut', 1],
    ['main', '_OTHER', 'ramping', 0],
  ]);
  expect(await brief(telemetry, 'undaunted.budget.tokens')).toEqual([
    ['main', 'https://a.example', 49],
    ['main', '_OTHER', 49],
  ]);
});

test('an expired scope is not shown as shut any more', async () => {
  const retrier = retrierWith({
    maxRetries: 0,
    gate: { failures: 1, deadForMs: 0 },
    hold: { refusedShare: 0 },
  });
  const telemetry = openTelemetry({ retriers: { main: retrier } });
  retrier.open(requestOf()).next(answered(503, { 'retry-after': '30' }), { replayable: true });
  expect(await brief(telemetry, 'undaunted.gate.state')).toContainEqual([...scope, 'shut', 1]);
  retrier.reset();
  expect(await brief(telemetry, 'undaunted.gate.state')).toEqual([
    [...scope, 'open', 1],
    [...scope, 'shut', 0],
    [...scope, 'ramping', 0],
  ]);
  expect(await brief(telemetry, 'undaunted.hold.remaining')).toEqual([[...scope, 0]]);
});

test('the gauges stop when the instrumentation ends', async () => {
  const telemetry = new Telemetry();
  onTestFinished(() => telemetry.meterProvider.shutdown());
  const retrier = retrierWith({});
  const look = vi.spyOn(retrier, 'snapshot');
  const undo = instrument({ meterProvider: telemetry.meterProvider, retriers: { main: retrier } });
  retrier.open(requestOf()).next(answered(503), { replayable: true });
  await telemetry.collected();
  expect(look).toHaveBeenCalledTimes(1);
  undo();
  await telemetry.collected();
  expect(look).toHaveBeenCalledTimes(1);
});

test('units follow the conventions', async () => {
  const retrier = retrierWith({ hold: { refusedShare: 0 }, gate: true });
  const telemetry = openTelemetry({ retriers: { main: retrier } });
  retrier.open(requestOf()).next(answered(503, { 'retry-after': '30' }), { replayable: true });
  const units = (await telemetry.metrics()).map(({ descriptor: { name, unit } }) => [name, unit]);
  expect(Object.fromEntries(units)).toMatchObject({
    'undaunted.budget.tokens': '{token}',
    'undaunted.gate.state': '{gate}',
    'undaunted.gate.waiting': '{request}',
    'undaunted.hold.remaining': 's',
  });
});

test('whether the processes of a fleet share what they know', async () => {
  const { now, sleep } = time.ports();
  const later = (delayMs: number, happen: () => void): void => {
    sleep(delayMs, happen);
  };
  const store = new MemoryStore({ now, later, random: () => 0.5 }, { delayMs: 5 });
  const shared = createRetrier({}, time.ports(), { fleet: fleetOver(store.link()) });
  const telemetry = openTelemetry({ retriers: { shared, alone: retrierWith({}) } });
  expect(await brief(telemetry, 'undaunted.fleet.shared')).toEqual([['shared', 0]]);
  shared.open(requestOf()).acceptAtOnce(200);
  await time.advance(200);
  expect(await brief(telemetry, 'undaunted.fleet.shared')).toEqual([['shared', 1]]);
  store.isStopped = true;
  shared.open(requestOf()).acceptAtOnce(200);
  await time.advance(2_000);
  expect(await brief(telemetry, 'undaunted.fleet.shared')).toEqual([['shared', 0]]);
});
