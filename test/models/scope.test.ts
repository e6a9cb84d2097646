/** The gate, the hold and the budget of a scope: every interleaving of three requests, to a stated depth. */

import { describe, expect, test } from 'vitest';
import { explore } from './explore.js';
import { type Plan, ScopeMachine, type State } from './scope-machine.js';

/** A server that is well, and half a minute of quiet: ten requests at once are let through. */
function comesBack(machine: ScopeMachine, state: State): string | undefined {
  let at: State = machine.settle(state);
  at = at.slots.reduce(
    (now, { phase }, index) => (phase === 'sent' ? machine.end(now, index, 'succeeds') : now),
    at,
  );
  at = machine.settle({ ...at, now: at.now + 30_000 });
  at = machine.end(machine.begin(at, 0), 0, 'succeeds');
  at = { ...at, now: at.now + 30_000 };
  machine.restore(at);
  const burst = Array.from({ length: 10 }, () =>
    machine.retrier.open({ method: 'GET', origin: 'https://api.example.com', path: '/', keyed: false }),
  );
  const refused = burst.filter((session) => session.admit().kind === 'refuse').length;
  return refused === 0 ? undefined : `${refused} of ten requests refused by a server that is well`;
}

/** Whoever left has taken its place with it: a newcomer waits for the window, and for nobody who is not there. */
function givesPlacesBack(machine: ScopeMachine, state: State): string | undefined {
  const at = machine.settle(state);
  machine.restore(at);
  const newcomer = machine.retrier.open({
    method: 'GET',
    origin: 'https://api.example.com',
    path: '/',
    keyed: false,
  });
  const admission = newcomer.admit();
  if (admission.kind === 'go') return undefined;
  const most = Math.max(0, (machine.hold?.until ?? 0) - at.now) + 110;
  if (admission.kind === 'wait' && admission.delayMs <= most) return undefined;
  return `nobody is waiting, and a newcomer gets ${JSON.stringify(admission)}`;
}

const gateOnly: Plan = {
  policy: { maxRetries: 0, budget: false, gate: { failures: 2, probeMs: 1_000, rampMs: 2_000 } },
  ends: ['succeeds', 'fails (503)', 'is refused for 1 s', 'is aborted'],
  ticksMs: [250, 2_500],
  forgetful: true,
  faultIn: comesBack,
};

const holdOnly: Plan = {
  policy: { maxRetries: 1, budget: false, hold: { refusedShare: 0 } },
  ends: ['succeeds', 'is refused for 3 s'],
  ticksMs: [500, 12_000],
  faultIn: givesPlacesBack,
};

describe.each(Object.entries({ gateOnly, holdOnly }))('%s', (_, plan) => {
  test('explored', () => {
    const { fault } = explore(new ScopeMachine(plan), 7);
    expect(fault).toBeUndefined();
  });
});
