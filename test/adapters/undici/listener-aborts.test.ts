/** A listener that aborts its request once it is over: the caller gets the error, and nobody hears of anything after the end. */

import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import { answer, ca, informational, type LabOptions, type Play, upgrade101 } from '../../faults/lab.js';
import { brief } from '../decisions.js';
import { openLab, soon } from '../kit.js';
import { type Generation, type Reactions, type Recorder, recorder } from './generations.js';
import { openAgent } from './kit.js';

const reason = new Error('not wanted');
const whole = { wholeBodyBytes: 1_000 };

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly upgrade?: string;
  readonly body?: unknown;
}

interface Stage {
  readonly lab?: LabOptions;
  readonly reactions?: Reactions;
}

interface Dispatched {
  readonly heard: Recorder;
  /** What listeners were told. */
  readonly told: readonly string[];
}

async function dispatched(
  play: Play,
  generation: Generation,
  policy: PolicyOptions,
  asked: Asked,
  stage: Stage = {},
): Promise<Dispatched> {
  const lab = await openLab(play, stage.lab);
  const reactions = { onUpgrade: (socket: Duplex) => socket.destroy(), ...stage.reactions };
  const heard: Recorder = recorder(generation, reactions);
  const told: string[] = [];
  const observe: PolicyOptions['observe'] = (event) => {
    told.push(brief(event));
    if (event.type === 'settled') heard.hold?.abort(reason);
  };
  const agent = openAgent({ connect: { ca } }).compose(retry({ ...soon, ...policy, observe }));
  agent.dispatch({ origin: lab.origin, path: '/', ...asked } as never, heard);
  await heard.settled;
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  return { heard, told };
}

describe.each<Generation>([1, 2])(
  'a handler of generation %i hears of nothing after the error',
  (generation) => {
    test.each<[string, Play, PolicyOptions, Asked]>([
      ['an answer', answer(200, 'text'), {}, { method: 'GET' }],
      ['an answer that was awaited whole', answer(200, 'text'), whole, { method: 'GET' }],
      ['an upgrade', upgrade101(), {}, { method: 'GET', upgrade: 'echo' }],
    ])('%s', async (_name, play, policy, asked) => {
      const { heard } = await dispatched(play, generation, policy, asked);
      expect(heard.error).toBe(reason);
      expect(answersIn(heard)).toEqual(['error']);
    });

    test('an upgrade by the second attempt', async () => {
      const asked = { method: 'GET', upgrade: 'echo' } as const;
      const lab: LabOptions = { tls: ['handshake-rst', 'trusted'] };
      const { heard, told } = await dispatched(upgrade101(), generation, {}, asked, { lab });
      expect(heard.error).toBe(reason);
      expect(answersIn(heard)).toEqual(['error']);
      expect(told).toEqual(['retry 1: transport-error', 'stop 2: success', 'settled 101 after 2']);
    });

    test('what the handler threw itself', async () => {
      const thrown = new TypeError('of the handler');
      const onHead = (): void => {
        throw thrown;
      };
      const play = informational(103, {}, answer(200));
      const asked = { method: 'GET' } as const;
      const { heard, told } = await dispatched(play, generation, {}, asked, { reactions: { onHead } });
      expect(heard.error).toBe(thrown);
      expect(answersIn(heard)).toEqual(['head 103', 'error']);
      expect(told).toEqual(['settled TypeError after 0']);
    });
  },
);

function answersIn({ calls }: Recorder): string[] {
  return calls.filter((call) => /^(head|data|upgrade|end|error)/.test(call));
}

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
