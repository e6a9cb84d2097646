/**
 * A gate that two processes share: every interleaving of their requests, of the messages between them and the store, of
 * losses and of time, to a stated number of steps. What is explored are the retriers and the fleet that users have.
 */

import { expect, test } from 'vitest';
import { type Exploration, explore, moreSteps } from './explore.js';
import { FleetMachine, type FleetPlan, FleetWorld } from './fleet-machine.js';

/** Ten milliseconds, in which every message arrives. */
function goOn(world: FleetWorld): void {
  world.deliver();
  for (const process of world.processes) {
    if (process.phase === 'waiting' && process.wakeAt <= world.now) world.proceed(process);
    if (process.phase === 'sent') world.end(process, 'succeeds');
  }
  world.pass(10);
}

/** Nothing is lost any more and the server is well: after a while, both are let through at once. */
function doesNotReopen(world: FleetWorld): string | undefined {
  for (const process of world.processes) if (process.phase === 'sent') world.end(process, 'succeeds');
  const isShut = world.record?.isShut || world.processes.some((one) => world.gateOf(one)?.kind !== 'open');
  if (!isShut) return undefined;
  for (let turn = 0; turn < 40; turn += 1) {
    for (const process of world.processes) if (process.phase === 'idle') world.begin(process);
    for (let step = 0; step < 6; step += 1) goOn(world);
    world.pass(240);
  }
  world.deliver();
  const gates = world.processes.map((process) => world.gateOf(process)?.kind);
  const isOpen = gates.every((kind) => kind === 'open') && world.record?.isShut === false;
  return isOpen ? undefined : `after 12 s that are well: ${gates}, ${JSON.stringify(world.record)}`;
}

const both = ['succeeds', 'fails'] as const;
const healthy = ['A begins', 'A ends well', 'B begins', 'B ends well', '100 ms', 'all messages'];
const failing = ['A begins', 'A ends badly', 'B begins', 'B ends badly'];
const shut = [...healthy, ...failing, ...failing, ...failing, '100 ms', 'all messages'];
/** Only a process to which the record itself has said so may ask for a probe. */
const confirmed = [...shut, '100 ms', 'all messages'];
const probing = [...confirmed, '200 ms', 'A begins', 'all messages', '10 ms', 'A asks again'];

const plans: Readonly<Record<string, readonly [plan: FleetPlan, depth: number]>> = {
  'while it is open': [{ before: healthy, mayLose: 1, tickMs: 250, ends: [both, both] }, 5],
  'of which one fails': [
    {
      before: [...healthy, 'A begins', 'A ends badly', '100 ms', 'all messages'],
      mayLose: 1,
      tickMs: 250,
      ends: [['fails'], ['succeeds']],
    },
    7,
  ],
  'about to shut': [
    { before: [...healthy, ...failing, ...failing], mayLose: 1, tickMs: 250, ends: [both, both] },
    5,
  ],
  'while the record is asked whether it is shut': [
    { before: [...shut, '300 ms'], mayLose: 1, tickMs: 250, ends: [both, ['fails']] },
    5,
  ],
  'while it is shut': [
    { before: [...confirmed, '200 ms'], mayLose: 1, tickMs: 250, ends: [both, ['fails']] },
    5,
  ],
  'with a probe out': [{ before: probing, mayLose: 2, tickMs: 500, ends: [both, both] }, 5],
};

/** For people who read a failure: what happened, one step a line. */
function story({ fault }: Exploration): string {
  return fault === undefined ? 'no fault' : [...fault.path, fault.what].join('\n');
}

/** Also in every test run: one step less finds only one of the planted faults. */
const stepsOnTop = Math.max(0, moreSteps);

test.each(Object.entries(plans))('%s', { timeout: 600_000 }, (_, [plan, depth]) => {
  const exploration = explore(new FleetMachine(plan, doesNotReopen), depth + stepsOnTop);
  expect(story(exploration)).toBe('no fault');
  expect(exploration.states).toBeGreaterThan(100);
});

test('with a probe out: A is probing at the start, and B could collide with it', () => {
  const [plan] = plans['with a probe out'] ?? [];
  if (plan === undefined) throw new Error('no such plan');
  const phases = new FleetWorld(plan).processes.map(({ name, phase, isProbe }) => [name, phase, isProbe]);
  expect(phases).toEqual([
    ['A', 'sent', true],
    ['B', 'idle', false],
  ]);
});

test.each<[string, string, Partial<FleetPlan>, RegExp]>([
  [
    'of which one fails',
    'each report counts as another witness',
    { heard: (report, count) => ({ ...report, process: `${report.process}${count}` }) },
    /shut on one witness/,
  ],
  [
    'with a probe out',
    'a process that wants to probe may',
    {
      said: (facts, { wantMs }) => (wantMs === undefined ? facts : { ...facts, lease: 7, leaseLeftMs: 0 }),
      heard: (report) => report,
    },
    /two probes are out/,
  ],
  [
    'while it is shut',
    'signs of life are not heard',
    { heard: (report) => ({ ...report, lives: 0, answersMs: -1 }) },
    /after 12 s that are well/,
  ],
])('a fault that is planted is found: %s: %s', (name, _, planted, what) => {
  const [plan, depth] = plans[name] ?? [];
  if (plan === undefined || depth === undefined) throw new Error(`no such plan: ${name}`);
  expect(
    story(explore(new FleetMachine({ ...plan, ...planted }, doesNotReopen), depth + stepsOnTop)),
  ).toMatch(what);
});
