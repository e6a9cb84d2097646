/** For suites about time: a client whose time the test controls, and its decisions. */

import { getEventListeners } from 'node:events';
import { expect } from 'vitest';
import type { Decision, PolicyOptions } from '../../../src/index.js';
import { createRetrier } from '../../../src/index.js';
import { HandTime } from '../hand-time.js';
import { settled } from '../kit.js';
import type { Asked, Reply, Way } from './subject.js';

export interface Timed {
  readonly time: HandTime;
  /** All decisions so far. */
  readonly decisions: readonly Decision[];
  /** Never rejects. */
  readonly ask: (url: string, asked?: Asked) => Promise<{ readonly value?: Reply; readonly error?: unknown }>;
}

export function timed(way: Way, policy: PolicyOptions): Timed {
  const time = new HandTime();
  const decisions: Decision[] = [];
  const observe: PolicyOptions['observe'] = (event) => {
    if (event.type === 'decision') decisions.push(event.decision);
  };
  const send = way.client(createRetrier({ ...policy, observe }, time.ports));
  const ask: Timed['ask'] = (url, asked) => settled(send(url, asked));
  return { time, decisions, ask };
}

export function reasonsOf(decisions: readonly Decision[]): string[] {
  return decisions.map(({ reason }) => reason);
}

/** Expects that the signal has no listeners left: some clients release it a turn later. */
export async function expectForgotten({ keepsListening }: Way, signal: AbortSignal): Promise<void> {
  if (keepsListening) return;
  await expect.poll(() => getEventListeners(signal, 'abort'), { interval: 1 }).toEqual([]);
}
