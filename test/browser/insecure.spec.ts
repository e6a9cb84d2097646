/** A page that was loaded without TLS has fewer APIs: `crypto.randomUUID`, for one, is missing. */

import { expect, test } from 'vitest';
import { answer } from '../faults/lab.js';
import { adapters, soon, tabForAll } from './scene.js';
import { insecureHost } from './tab.js';

const tab = tabForAll(insecureHost);

test('the page is not a secure context', async () => {
  await expect(tab().run('isSecureContext')).resolves.toBe(false);
});

test.each(adapters)('there, too, a POST gets a key and is sent again with it (%s)', async (adapter) => {
  tab().serve(answer(503), answer(201));
  const report = await tab().perform({
    request: { adapter, url: '/orders', method: 'post', data: 'tea' },
    retry: { schedule: soon, idempotencyKey: true },
  });
  expect(report).toMatchObject({ response: { status: 201 } });
  const [first, second] = tab().site.requests.map(({ headers }) => headers['idempotency-key']);
  expect(first).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(second).toBe(first);
});
