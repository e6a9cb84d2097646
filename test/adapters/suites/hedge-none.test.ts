/** Requests that get no hedge. */

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OverrideOptions, PolicyOptions } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab } from '../kit.js';
import { hedgeMs, hedging, onCue } from './hedged.js';
import { type Asked, theSubject } from './subject.js';

const subject = await theSubject();

beforeEach(({ skip }) => skip(subject.hedges !== true));

const [plain] = subject.ways;

/** A body that can be read once. */
function upload(): Asked {
  return { method: 'PUT', body: Readable.from(['some', 'thing'], { objectMode: false }) };
}

describe('no hedge', () => {
  test.each<[string, PolicyOptions, Asked, number?]>([
    ['for a POST', {}, { method: 'POST', body: 'pay' }],
    ['for a DELETE', {}, { method: 'DELETE' }],
    ['for a body that can be read once', { hedge: { afterMs: hedgeMs, methods: ['PUT'] } }, upload()],
    ['after the server has said 429', {}, {}, 429],
    ['after the server has said 429, which the rule does not retry', { statuses: [503] }, {}, 429],
  ])('%s', async (_what, policy, given, before = 200) => {
    const lab = await openLab(onCue('before', answer(before, '', { 'x-should-retry': 'false' })));
    const { time, told, ask } = hedging(plain, policy);
    // Two connections are open afterwards, so that a hedge would be sent at once.
    const both = [ask(lab.origin), ask(lab.origin)];
    await lab.until(({ requests }) => requests.length === 2);
    lab.cue('before');
    await Promise.all(both);
    lab.play(onCue('slow', answer(200, 'slow')));
    const asked = ask(lab.origin, given);
    await lab.until(({ requests }) => requests[0]?.complete === true);
    for (const pending of time.pending) await time.fire(pending);
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    lab.cue('slow');
    expect((await asked).value?.text).toBe('slow');
    expect(lab.requests).toHaveLength(1);
    expect(told.filter((line) => line.startsWith('hedge'))).toEqual([]);
  });

  test
    .skipIf(!plain.takesOverride)
    .each<OverrideOptions | false>([{ hedge: false }, { maxRetries: 0 }, false])(
    'for a request with the override %o',
    async (retry) => {
      const lab = await openLab(onCue('slow', answer(200, 'slow')));
      const { time, ask } = hedging(plain);
      const asked = ask(lab.origin, { retry });
      await lab.until(({ requests }) => requests.length === 1);
      expect(time.pending).toEqual([]);
      lab.cue('slow');
      expect((await asked).value?.text).toBe('slow');
    },
  );
});
