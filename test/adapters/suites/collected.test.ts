/**
 * An answer that is kept for a while before it goes to the caller: its body stays readable. undici's fetch, which is Node's,
 * cancels the body of an answer that the garbage collector takes, and what is kept may be only that body.
 */

import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { type Answer, answer } from '../../faults/lab.js';
import { openLab } from '../kit.js';
import { bothOut, hedgeMs, onCue } from './hedged.js';
import { theSubject } from './subject.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const subject = await theSubject();
const ways = subject.collectable ?? [];

beforeEach(({ skip }) => skip(ways.length === 0));

/** Twice: what the collector has taken is told afterwards. */
async function collect(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    collectGarbage();
  }
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}

const refused = answer(401, 'refused');
const events = answer(200, 'data: one\n\n', { 'content-type': 'text/event-stream' });

const rows: readonly (readonly [when: string, play: Answer, policy: PolicyOptions])[] = [
  [
    'while credentials are renewed, in vain',
    refused,
    {
      credentials: {
        headers: () => ({ authorization: 'stale' }),
        renew: async () => {
          await collect();
          throw new Error('no');
        },
      },
    },
  ],
  [
    'while retryIf thinks',
    refused,
    {
      retryIf: async () => {
        await collect();
        return undefined;
      },
    },
  ],
  [
    'while retryIf thinks, before and after it reads the body',
    refused,
    {
      retryIf: async (outcome) => {
        await collect();
        await outcome.body();
        await collect();
        return undefined;
      },
    },
  ],
  [
    'while retryIf thinks about a stream, whose body it is not told',
    events,
    {
      retryIf: async (outcome) => {
        await outcome.body();
        await collect();
        return undefined;
      },
    },
  ],
];

describe.each(ways.map((way) => [way.name, way] as const))('over %s', (_, way) => {
  test.each(rows)('%s', async (_when, play, policy) => {
    const lab = await openLab(play);
    const { text } = await way.client(policy)(lab.origin);
    expect(text).toBe(play === events ? 'data: one\n\n' : 'refused');
  });

  test('what retryIf reads of it is all of it', async () => {
    const lab = await openLab(refused);
    const read: unknown[] = [];
    const retryIf: PolicyOptions['retryIf'] = async (outcome) => {
      await collect();
      read.push(await outcome.body(), await outcome.body());
      return undefined;
    };
    await way.client({ retryIf })(lab.origin);
    expect(read).toEqual(subject.name === 'axios' ? [undefined, undefined] : ['refused', 'refused']);
  });

  test('while the other of two attempts is still out', async () => {
    const long = { 'retry-after': '3600' };
    const { lab, time, answered } = await bothOut(way, [
      onCue('first', answer(429, 'too many', long)),
      { steps: [{ do: 'cue', name: 'hedge' }, { do: 'rst' }] },
    ]);
    lab.cue('first');
    await time.until(({ pending }) => pending.includes(hedgeMs));
    await collect();
    lab.cue('hedge');
    expect((await answered).value).toMatchObject({ status: 429, text: 'too many' });
  });
});
