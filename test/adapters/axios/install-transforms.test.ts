/** However often a request is sent, its transforms run once. */

import { expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { answer, rst } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { openInstance } from './kit.js';

test('transforms run once, and each attempt sends what they made', async () => {
  const lab = await openLab([answer(503), rst(), answer(200, '{"a":1}')]);
  let made = 0;
  let read = 0;
  const instance = openInstance({
    transformRequest: [
      (data, headers) => {
        made += 1;
        headers.set('content-type', 'application/x-wrapped');
        return `<${JSON.stringify(data)}>`;
      },
    ],
    transformResponse: [
      (data) => {
        read += 1;
        return { read: data };
      },
    ],
  });
  attachRetry(instance, soon);
  const { data } = await instance.put(lab.origin, { a: 1 });
  expect(data).toEqual({ read: '{"a":1}' });
  expect(
    lab.requests.map(({ headers, body }) => [
      String(body),
      headers['content-length'],
      headers['content-type'],
    ]),
  ).toEqual(Array(3).fill(['<{"a":1}>', '9', 'application/x-wrapped']));
  expect([made, read]).toEqual([1, 1]);
});

test('transforms run on the last failure, too', async () => {
  const lab = await openLab(answer(503, '{"why":"no"}'));
  let read = 0;
  const instance = openInstance({
    transformResponse: (text: string) => {
      read += 1;
      return JSON.parse(text);
    },
  });
  attachRetry(instance, { ...soon, maxRetries: 1 });
  const { error } = await settled(instance.get(lab.origin));
  expect(error).toMatchObject({ response: { data: { why: 'no' } } });
  expect([lab.requests.length, read]).toEqual([2, 1]);
});

test('a transform that throws fails the request once it is answered, and is no reason to ask again', async () => {
  const lab = await openLab(answer(200, 'no json'));
  const instance = openInstance({
    responseType: 'json',
    transitional: { silentJSONParsing: false },
  });
  attachRetry(instance, soon);
  const { error } = await settled(instance.get(lab.origin));
  expect(error).toMatchObject({ name: 'SyntaxError' });
  expect(lab.requests).toHaveLength(1);
});
