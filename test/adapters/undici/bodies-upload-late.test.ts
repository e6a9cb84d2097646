/** A body that is being sent when its attempt dies does no harm to requests on the next connection. */

import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRetrier } from '../../../src/index.js';
import { answer, type Play } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { haltingSource } from '../uploads.js';
import { Waits } from '../waits.js';
import { retryingAgent } from './kit.js';

/** Answers as soon as the head has arrived, while the body is still to come. */
const earlyRefusal: Play = { ...answer(503), at: 'head' };

test('a piece that arrives late for a dead connection does no harm to those on its successor', async () => {
  const lab = await openLab(({ method, path }) => {
    if (method === 'PUT') return earlyRefusal;
    return path === '/warm' ? answer(200) : { steps: [{ do: 'cue', name: 'go' }, ...answer(200).steps] };
  });
  const waits = new Waits('when told');
  const agent = retryingAgent(createRetrier(soon, { sleep: waits.sleep }), {
    connections: 1,
    pipelining: 10,
  });
  const source = haltingSource(['first,', 'second.']);
  const abort = new AbortController();
  const body = source.chunks as unknown as Readable;
  const get = (path: string) => agent.request({ origin: lab.origin, path, method: 'GET', blocking: false });
  const put = settled(
    agent.request({ origin: lab.origin, path: '/', method: 'PUT', body, signal: abort.signal }),
  );
  await waits.until(1);
  await (await get('/warm')).body.dump();
  const others = ['/1', '/2', '/3'].map(get);
  await lab.until(({ requests }) => requests.length === 5);
  // Now the dead attempt's writer wakes up. What it throws must reach neither the others nor the process.
  source.goOn();
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  lab.cue('go');
  for (const other of others) expect((await other).statusCode).toBe(200);
  abort.abort();
  expect(await put).toMatchObject({ error: { name: 'AbortError' } });
});
