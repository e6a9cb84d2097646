/** Ends that only undici has, as listeners see them. */

import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { contentOf } from '../../faults/lab.js';
import { answer, bigBody, cutBody } from '../../faults/plays.js';
import { brief, type Event } from '../decisions.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { retryingAgent } from './kit.js';

function listened(policy: PolicyOptions = {}): { dispatcher: Dispatcher; events: Event[] } {
  const events: Event[] = [];
  const dispatcher = retryingAgent({ ...soon, ...policy, observe: (event) => void events.push(event) });
  return { dispatcher, events };
}

test('a request whose function throws undefined fails, and is settled', async () => {
  const lab = await openLab(answer(500));
  const { dispatcher, events } = listened({ beforeRetry: () => Promise.reject(undefined) });
  const { error } = await settled(undici.request(lab.origin, { dispatcher }));
  expect(error).toMatchObject({ message: 'undaunted: a value that is not an error was thrown: undefined' });
  expect(events.map(brief)).toEqual(['retry 1: transient-status', 'settled Error after 1']);
});

test('a request whose body broke off and was resumed is settled once', async () => {
  const size = 100_000;
  const headers = { etag: '"a"', 'accept-ranges': 'bytes' };
  const rest = {
    ...headers,
    'content-range': `bytes 1000-${size - 1}/${size}`,
    'content-length': `${size - 1_000}`,
  };
  const lab = await openLab([
    cutBody(size, 1_000, 'rst', headers),
    {
      steps: [
        { do: 'head', status: 206, headers: rest },
        { do: 'fill', bytes: size - 1_000, from: 1_000 },
        { do: 'end' },
      ],
    },
  ]);
  const { dispatcher, events } = listened();
  const { body } = await undici.request(lab.origin, { dispatcher });
  expect(Buffer.from(await body.arrayBuffer()).equals(contentOf('a', 0, size))).toBe(true);
  expect(events.filter(({ type }) => type === 'settled')).toHaveLength(1);
});

test('a request that is aborted in its body is settled with its status', async () => {
  const lab = await openLab(bigBody(10_000_000));
  const { dispatcher, events } = listened();
  const aborter = new AbortController();
  const { body } = await undici.request(lab.origin, { dispatcher, signal: aborter.signal });
  aborter.abort();
  await settled(body.arrayBuffer());
  expect(events.map(brief)).toEqual(['settled 200 after 1']);
});
