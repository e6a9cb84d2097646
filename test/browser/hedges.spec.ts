/** A browser lets a second GET of the same URL wait for the first one, since its cache might answer: a hedge must not. */

import { expect, test } from 'vitest';
import { answer, type Play, startLab } from '../faults/lab.js';
import { allowing, readable } from './answers.js';
import { adapters, tabForAll } from './scene.js';

const tab = tabForAll();
const retry = { hedge: { afterMs: 200, share: 1 } };

function onCue({ steps, ...play }: Play): Play {
  return { ...play, steps: [{ do: 'cue', name: 'first' }, ...steps] };
}

test.each(adapters)('over %s, the hedge of a GET to the own origin wins', async (adapter) => {
  tab().serve(answer(200), onCue(answer(200, 'first')), answer(200, 'hedge'));
  const url = `/menu?over=${adapter}`;
  const report = await tab().perform({ before: '/before', request: { adapter, url }, retry });
  expect(report.response).toEqual({ status: 200, data: 'hedge' });
  expect(report.reasons).toEqual(['cut', 'success']);
  tab().site.cue('first');
});

test('over fetch, the hedge of a GET to another origin wins, and needs no leave of its server', async () => {
  await using api = await startLab(
    allowing(readable(200), onCue(readable(200, 'first')), readable(200, 'hedge')),
  );
  const report = await tab().perform({
    before: `${api.origin}/before`,
    request: { adapter: 'fetch', url: `${api.origin}/menu` },
    retry,
  });
  expect(report.response).toEqual({ status: 200, data: 'hedge' });
  expect(api.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
  api.cue('first');
});
