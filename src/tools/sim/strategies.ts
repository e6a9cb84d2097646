/** Makes the strategy of one process from a contender that is data. */

import type { Admission, ErrorOutcome, Fleet, ResponseOutcome, Sleep } from '../../index.js';
import { createRetrier } from '../../index.js';
import { isPolicy } from '../../internal.js';
import type { Dice } from './dice.js';
import type { Peer } from './peers.js';
import type { BareDecision, Pursuit, Strategy } from './pursuit.js';
import type { Contender } from './world.js';

export interface Circumstances {
  readonly now: () => number;
  readonly dice: Dice;
  /** Of a process that shares its scopes with others, and by what it waits to tell them. */
  readonly fleet?: { readonly joined: Fleet; readonly sleep: Sleep } | undefined;
}

/** Wall time at the beginning of every run: 2026-03-10, noon. */
const epochMs = 1_773_144_000_000;

export function strategyOf(contender: Contender, { now, dice, fleet }: Circumstances): Strategy {
  if (isPeer(contender)) return { open: (_, thoughtMs) => new PeerPursuit(contender, dice, thoughtMs) };
  const sleep: Sleep = () => {
    throw new Error('In a simulation, only the traffic waits');
  };
  const ports = { now, date: () => epochMs + now(), random: dice, sleep: fleet?.sleep ?? sleep };
  const retrier = createRetrier(contender, ports, fleet && { fleet: fleet.joined });
  return { open: (request, _, override) => retrier.open(request, override) };
}

function isPeer(contender: Contender): contender is Peer {
  return !isPolicy(contender) && 'kind' in contender;
}

const go: Admission = { kind: 'go' };
const stop: BareDecision = { action: 'stop' };
const noSettings: Pursuit['settings'] = { attemptTimeoutMs: undefined, deadlineMs: undefined };

class PeerPursuit implements Pursuit {
  readonly settings: Pursuit['settings'] = noSettings;
  readonly deadlineAt: number = Number.POSITIVE_INFINITY;
  private readonly peer: Peer;
  private readonly dice: Dice;
  private retries = 0;
  private previousMs: number;

  constructor(peer: Peer, dice: Dice, thoughtMs: number) {
    this.peer = peer;
    this.dice = dice;
    this.previousMs = thoughtMs;
  }

  admit(): Admission {
    return go;
  }

  acceptAtOnce(status: number): boolean {
    return status < 400;
  }

  next(outcome: ResponseOutcome | ErrorOutcome): BareDecision {
    const { peer } = this;
    if (this.retries >= peer.maxRetries || !isWorthIt(peer, outcome)) return stop;
    this.retries += 1;
    const turn = { retry: this.retries, hintMs: hintIn(outcome), previousMs: this.previousMs };
    const waitMs = peer.wait(turn, this.dice);
    if (waitMs === undefined) return stop;
    this.previousMs = waitMs;
    return { action: 'retry', delayMs: Math.max(0, waitMs) };
  }

  abandon(): void {
    // A peer has no shared state to give anything back to.
  }
}

function isWorthIt({ statuses, afterTimeout }: Peer, outcome: ResponseOutcome | ErrorOutcome): boolean {
  if (outcome.kind === 'response') return statuses.includes(outcome.status);
  const { code } = outcome.error as { readonly code?: string };
  return afterTimeout || code !== 'ERR_UNDAUNTED_ATTEMPT_TIMEOUT';
}

function hintIn(outcome: ResponseOutcome | ErrorOutcome): number | undefined {
  if (outcome.kind === 'error') return undefined;
  const seconds = (outcome.headers as Readonly<Record<string, string>> | undefined)?.['retry-after'];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
