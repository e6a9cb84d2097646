/**
 * A resumed body is of the resource that redirects led to the first time. An ETag tells the representations of one
 * resource apart, and two resources may well have the same.
 */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { undici } from './client.js';
import { openAgent } from './kit.js';
import { errorsBelow, record } from './recorder.js';
import { content, cut, expectBroken, expectWhole, head, rest } from './resume-download.js';
import { partly } from './resume-file.js';

type Interceptor = Dispatcher.DispatcherComposeInterceptor;

const redirect = (): Interceptor => undici.interceptors.redirect({ maxRedirections: 3 });

/** Passes on nothing of the context, in which a redirect has its history. */
const hidingTheContext: Interceptor = (dispatch) => (options, handler) => {
  const given = handler as unknown as Record<string, (...given: unknown[]) => unknown>;
  const own = Object.assign(Object.create(handler), {
    onConnect: (abort: unknown) => given['onConnect']?.(abort),
    onRequestStart: (controller: unknown) => given['onRequestStart']?.(controller),
  });
  for (const name of ['Headers', 'ResponseStart', 'Data', 'ResponseData', 'Complete', 'ResponseEnd']) {
    own[`on${name}`] = (...args: unknown[]) => given[`on${name}`]?.(...args);
  }
  for (const name of ['Error', 'ResponseError', 'ResponseStarted']) {
    own[`on${name}`] = (...args: unknown[]) => given[`on${name}`]?.(...args);
  }
  return dispatch(options, own);
};

/** `/latest` leads to these, one after the other, and each breaks off the first time. */
async function latest(targets: readonly string[], ...layers: Interceptor[]) {
  const left = [...targets];
  const lab = await openLab(({ path, headers }) => {
    if (path === '/latest') return answer(302, '', { location: left.shift() ?? '/gone' });
    return headers['range'] === undefined
      ? partly(200, head, { sent: cut, ends: 'fin' })
      : partly(206, rest, { from: cut, sent: 600, ends: 'end' });
  });
  const below: unknown[] = [];
  const agent = openAgent().compose(...layers, errorsBelow(below), retry(soon));
  const recorder = await record(agent, { origin: lab.origin, path: '/latest' }).end();
  return { lab, recorder, below };
}

describe('a download behind a redirect that breaks off', () => {
  test('is resumed if the redirect leads to the same place', async () => {
    const done = await latest(['/v1', '/v1'], redirect());
    expectWhole(done, content);
    expect(done.lab.requests.map(({ path }) => path)).toEqual(['/latest', '/v1', '/latest', '/v1']);
  });

  test('is not joined with another resource, even with the same ETag and length', async () => {
    const done = await latest(['/v1', '/v2'], redirect());
    expectBroken(done, content.subarray(0, cut));
  });

  test('is not resumed where a layer hides the way', async () => {
    const done = await latest(['/v1', '/v2'], redirect(), hidingTheContext);
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(2);
  });
});
