/** A reason that is no error, and not even true: the caller still hears that it gave up, wherever the request is. */

import { expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { createRetrier } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { thinker, wait } from '../abort-moments.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled } from '../kit.js';
import { early, late } from './abort-scenes.js';
import { type Generation, recorder, terminalCalls } from './generations.js';
import { openAgent } from './kit.js';
import { readAll } from './recorder.js';

const reasons: readonly unknown[] = [0, '', false, null, Number.NaN, 0n];

const aborted = { name: 'AbortError', code: 'UND_ERR_ABORTED', message: 'Request aborted' };

const rows = [...early, ...late].flatMap(([place, scene]) =>
  reasons.map(
    (reason) => [typeof reason === 'string' ? "''" : String(reason), place, scene, reason] as const,
  ),
);

test.each(rows)(
  'abort(%s) %s rejects as from the bare dispatcher',
  async (_reason, _place, scene, reason) => {
    const time = new HandTime();
    const { asked, ask } = thinker();
    const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
    const retrier = createRetrier({ schedule, ...scene.policy?.(ask) }, time.ports);
    const lab = await openLab(scene.plays);
    const caller = new AbortController();
    const options = { origin: lab.origin, path: '/', method: 'GET', signal: caller.signal } as const;
    const answered = openAgent().compose(retry(retrier)).request(options);
    const read = settled(
      answered.then(async ({ body }) => {
        const { error } = await readAll(body);
        throw error;
      }),
    );
    await scene.reach({ lab, time, asked });
    caller.abort(reason);
    const { error } = await read;
    expect(error).toMatchObject(aborted);
    expect(lab.requests).toHaveLength(scene.requests);
  },
);

test.each(
  ([1, 2] as const).flatMap((generation) =>
    reasons.map((reason) => [generation, String(reason), reason] as const),
  ),
)(
  'a handler of generation %i that aborts with %s when it is started',
  async (generation: Generation, _name, reason) => {
    const lab = await openLab(answer(200));
    const heard = recorder(generation, { onStart: (hold) => hold.abort(reason) });
    openAgent().compose(retry()).dispatch({ origin: lab.origin, path: '/', method: 'GET' }, heard);
    await heard.settled;
    expect(heard.error).toMatchObject(aborted);
    expect(terminalCalls(heard)).toBe(1);
    expect(lab.requests).toHaveLength(0);
  },
);
