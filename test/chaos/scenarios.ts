/** What befalls the server: by its own dice, or by a hand from outside. */

import type { Misbehaviour } from './misbehaviour.js';
import type { ServerProcess } from './server-process.js';

/** Somebody begins it, and ends it when requests have suffered enough. */
export interface Outage {
  /** Among a thousand requests. */
  readonly timesPerThousand: number;
  begin(server: ServerProcess): Promise<void>;
  end(server: ServerProcess): Promise<void>;
}

export interface Scenario {
  readonly name: string;
  readonly misbehaviour: Misbehaviour;
  readonly outage?: Outage;
  /** Whether a retry can make a difference. */
  readonly canBeMended: boolean;
  /** Whether callers are left not knowing if the request was taken: with luck, a single outage meets none. */
  readonly leavesDoubt: 'always' | 'mostly' | 'never';
  /** Whether the server is down for long enough to be taken for dead. */
  readonly shutsGates: boolean;
}

const wellBehaved: Misbehaviour = { does: 'nothing', share: 0 };

const isStopped: Scenario = {
  name: 'is stopped and goes on',
  misbehaviour: wellBehaved,
  outage: {
    timesPerThousand: 3,
    begin: async (server) => server.pause(),
    end: async (server) => server.goOn(),
  },
  canBeMended: true,
  leavesDoubt: 'always',
  shutsGates: true,
};

const isKilled: Scenario = {
  name: 'is killed and started again',
  misbehaviour: wellBehaved,
  outage: { timesPerThousand: 3, begin: (server) => server.kill(), end: (server) => server.start() },
  canBeMended: true,
  leavesDoubt: 'mostly',
  shutsGates: true,
};

const refuses: Scenario = {
  name: 'refuses connections',
  misbehaviour: wellBehaved,
  outage: { timesPerThousand: 6, begin: (server) => server.leave(), end: (server) => server.listen() },
  canBeMended: true,
  // Who is let in gets an answer.
  leavesDoubt: 'never',
  shutsGates: false,
};

const flaps: Scenario = {
  name: 'flaps',
  misbehaviour: wellBehaved,
  outage: { timesPerThousand: 20, begin: (server) => server.slam(), end: (server) => server.listen() },
  canBeMended: true,
  leavesDoubt: 'mostly',
  shutsGates: false,
};

const usual = { canBeMended: true, leavesDoubt: 'always', shutsGates: false } as const;

export const resets: Scenario = { name: 'resets', misbehaviour: { does: 'resets', share: 0.25 }, ...usual };

const throttles: Scenario = {
  name: 'throttles',
  misbehaviour: { does: 'throttles', share: 0.1 },
  canBeMended: true,
  // It says that it did not take them.
  leavesDoubt: 'never',
  shutsGates: false,
};

const talksGarbage: Scenario = {
  name: 'talks garbage',
  misbehaviour: { does: 'talks garbage', share: 0.25 },
  // Bytes that are no HTTP are final.
  canBeMended: false,
  leavesDoubt: 'always',
  shutsGates: false,
};

const stalls: Scenario = { name: 'stalls', misbehaviour: { does: 'stalls', share: 0.15 }, ...usual };
const cutsHeads: Scenario = {
  name: 'cuts heads',
  misbehaviour: { does: 'cuts heads', share: 0.25 },
  ...usual,
};
const cutsBodies: Scenario = {
  name: 'cuts bodies',
  misbehaviour: { does: 'cuts bodies', share: 0.25 },
  ...usual,
};

export const scenarios: readonly Scenario[] = [
  isStopped,
  isKilled,
  refuses,
  flaps,
  resets,
  stalls,
  cutsHeads,
  cutsBodies,
  throttles,
  talksGarbage,
];

/** Where there is no time for all. */
export const harshest: readonly Scenario[] = [isKilled, resets, cutsBodies];

/** Where gate and hold have something to do; a hold takes its time. */
export const guarded: readonly Scenario[] = [
  isStopped,
  isKilled,
  flaps,
  { ...throttles, misbehaviour: { does: 'throttles', share: 0.015 } },
];
