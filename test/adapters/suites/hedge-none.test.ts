/** Requests that get no hedge. */

import { Readable } from 'node:stream';
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
  test.each<[string, PolicyOptions, Asked]>([
    ['for a POST', {}, { method: 'POST', body: 'pay' }],
    ['for a DELETE', {}, { method: 'DELETE' }],
    ['for a body that can be read once', { hedge: { afterMs: hedgeMs, methods: ['PUT'] } }, upload()],
    ['after the server has said 429', {}, { headers: { 'x-after': '429' } }],
  ])('%s', async (_what, policy, given) => {
    const lab = await openLab([answer(429), onCue('slow', answer(200, 'slow'))]);
    const { time, ask } = hedging(plain, { ...policy, statuses: [] });
    if (given.headers?.['x-after'] === '429') await ask(lab.origin);
    else lab.play(onCue('slow', answer(200, 'slow')));
    const sent = lab.requests.length;
    const asked = ask(lab.origin, given);
    await lab.until(({ requests }) => requests.length === sent + 1 && requests[sent]?.complete === true);
    for (const pending of time.pending) await time.fire(pending);
    lab.cue('slow');
    expect((await asked).value?.text).toBe('slow');
    expect(lab.requests).toHaveLength(sent + 1);
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
