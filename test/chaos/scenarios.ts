/** How the server fails: at random by itself, or by a command from outside. */

import type { Misbehaviour } from './misbehaviour.js';
import type { ServerProcess } from './server-process.js';

/** An outage that the test begins, and ends when enough requests have met it. */
export interface Outage {
  /** Outages for each thousand requests. */
  readonly timesPerThousand: number;
  begin(server: ServerProcess): Promise<void>;
  end(server: ServerProcess): Promise<void>;
}

export interface Scenario {
  readonly name: string;
  readonly misbehaviour: Misbehaviour;
  readonly outage?: Outage;
  /** Whether a retry can help. */
  readonly canBeMended: boolean;
  /** Whether callers may not learn if a request was taken: a single outage may, by luck, meet none. */
  readonly leavesDoubt: 'always' | 'mostly' | 'never';
  /** Whether the server is down for long enough to shut gates. */
  readonly shutsGates: boolean;
  /** Whether the server says of writes without a key that it did not take them, so that they are sent again. */
  readonly mendsWrites?: 'always' | 'mostly';
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

const refuses = {
  name: 'refuses connections',
  misbehaviour: wellBehaved,
  outage: { timesPerThousand: 6, begin: (server) => server.leave(), end: (server) => server.listen() },
  canBeMended: true,
  // An accepted connection gets an answer.
  leavesDoubt: 'never',
  shutsGates: false,
  mendsWrites: 'mostly',
} as const satisfies Scenario;

const slams = {
  begin: (server: ServerProcess) => server.slam(),
  end: (server: ServerProcess) => server.listen(),
};

const flaps: Scenario = {
  name: 'flaps',
  misbehaviour: wellBehaved,
  outage: { timesPerThousand: 20, ...slams },
  canBeMended: true,
  leavesDoubt: 'mostly',
  shutsGates: false,
};

/** So seldom that hedges find connections in between. */
const flapsSeldom: Scenario = { ...flaps, outage: { timesPerThousand: 6, ...slams } };

const usual = { canBeMended: true, leavesDoubt: 'always', shutsGates: false } as const;

export const resets: Scenario = { name: 'resets', misbehaviour: { does: 'resets', share: 0.25 }, ...usual };

const throttles: Scenario = {
  name: 'throttles',
  misbehaviour: { does: 'throttles', share: 0.1 },
  canBeMended: true,
  // The server says that it did not take these requests.
  leavesDoubt: 'never',
  shutsGates: false,
  mendsWrites: 'always',
};

const throttlesSeldom: Scenario = { ...throttles, misbehaviour: { does: 'throttles', share: 0.015 } };

const talksGarbage: Scenario = {
  name: 'talks garbage',
  misbehaviour: { does: 'talks garbage', share: 0.25 },
  // Bytes that are not HTTP are a final error.
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
export const cutsBodies: Scenario = {
  name: 'cuts bodies',
  misbehaviour: { does: 'cuts bodies', share: 0.25 },
  ...usual,
};

/**
 * It takes a write and sends its client on, to a place that is dead, cuts it off or refuses it: none of that is about the
 * write. The server itself refuses connections meanwhile, to clients that it has just sent to itself.
 */
export const sendsElsewhere: Scenario = {
  name: 'sends its clients elsewhere',
  misbehaviour: { does: 'sends elsewhere', share: 0.25 },
  outage: { ...refuses.outage, timesPerThousand: 20 },
  ...usual,
};

/** It takes a write and asks for a token, and the server of the tokens is dead, cuts off or refuses. */
export const wantsToken: Scenario = {
  name: 'wants a token',
  misbehaviour: { does: 'wants a token', share: 0.25 },
  ...usual,
};

const isSlow: Scenario = { name: 'is slow', misbehaviour: wellBehaved, ...usual };

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

/** A selection for runs that have no time for all. */
export const harshest: readonly Scenario[] = [isKilled, resets, cutsBodies];

/** Scenarios in which gate and hold act; a hold takes its time. */
export const guarded: readonly Scenario[] = [isStopped, isKilled, flaps, throttlesSeldom];

/** The same, and some of the answers take long. */
function slowly(scenario: Scenario): Scenario {
  return { ...scenario, misbehaviour: { ...scenario.misbehaviour, late: 0.15 } };
}

/** Scenarios for hedges: attempts take long, and may end in any way beside another one. */
export const hedged: readonly Scenario[] = [
  isSlow,
  resets,
  stalls,
  cutsHeads,
  cutsBodies,
  throttlesSeldom,
  isStopped,
  isKilled,
  flapsSeldom,
].map(slowly);

/** A selection for runs that have no time for all. */
export const hedgedFew: readonly Scenario[] = [isSlow, resets, isKilled].map(slowly);

const resetsLate: Scenario = { ...slowly(resets), name: 'resets and is late' };

/** Scenarios in which tokens expire. */
export const expiring: readonly Scenario[] = [resets, isKilled, throttlesSeldom, cutsBodies, resetsLate];

/** A selection for runs that have no time for all. */
export const expiringFew: readonly Scenario[] = [resets];
