/** A listener that aborts its request once it has succeeded: the caller gets the error, and nothing after it. */

import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import { answer, type Play, upgrade101 } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { type Generation, type Recorder, recorder } from './generations.js';
import { openAgent } from './kit.js';

const reason = new Error('not wanted');
const whole = { wholeBodyBytes: 1_000 };

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly upgrade?: string;
  readonly body?: unknown;
}

async function dispatched(
  play: Play,
  generation: Generation,
  policy: PolicyOptions,
  asked: Asked,
): Promise<Recorder> {
  const lab = await openLab(play);
  const heard: Recorder = recorder(generation, { onUpgrade: (socket: Duplex) => socket.destroy() });
  const observe = ({ type }: { readonly type: string }): void => {
    if (type === 'settled') heard.hold?.abort(reason);
  };
  const agent = openAgent().compose(retry({ ...soon, ...policy, observe }));
  agent.dispatch({ origin: lab.origin, path: '/', ...asked } as never, heard);
  await heard.settled;
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  return heard;
}

describe.each<Generation>([1, 2])(
  'a handler of generation %i hears of nothing after the error',
  (generation) => {
    test.each<[string, Play, PolicyOptions, Asked]>([
      ['an answer', answer(200, 'text'), {}, { method: 'GET' }],
      ['an answer that was awaited whole', answer(200, 'text'), whole, { method: 'GET' }],
      ['an upgrade', upgrade101(), {}, { method: 'GET', upgrade: 'echo' }],
    ])('%s', async (_name, play, policy, asked) => {
      const { calls, error } = await dispatched(play, generation, policy, asked);
      expect(error).toBe(reason);
      expect(calls.filter((call) => /^(head|data|upgrade|end|error)/.test(call))).toEqual(['error']);
    });
  },
);

describe('a function that makes a body, aborts the request, and throws', () => {
  test.each([1, 2])('at attempt %i, is heard of by nobody', async (attempt) => {
    const lab = await openLab(answer(503));
    const heard = recorder(2);
    let calls = 0;
    const body = (): string => {
      calls += 1;
      if (calls < attempt) return 'text';
      heard.hold?.abort(reason);
      throw new TypeError('of the function');
    };
    const failures: unknown[] = [];
    const note = (error: unknown): void => {
      failures.push(error);
    };
    process.prependListener('uncaughtException', note);
    const agent = openAgent().compose(retry({ ...soon, idempotent: true }));
    // undici itself takes no functions.
    agent.dispatch({ origin: lab.origin, path: '/', method: 'POST', body } as never, heard);
    await heard.settled;
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    process.off('uncaughtException', note);
    expect(heard.error).toBe(reason);
    expect(failures).toEqual([]);
    expect(lab.requests).toHaveLength(attempt - 1);
  });
});
