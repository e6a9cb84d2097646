/** undici 6 sometimes starts a request again on another connection even after its answer has begun. */

import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { soon } from '../kit.js';
import { recorder } from './generations.js';
import { openAgent } from './kit.js';

const controller = { pause() {}, resume() {}, abort() {}, paused: false, aborted: false, reason: null };

/** A dispatcher underneath that sends half an answer, and then starts again with all of it. */
const beginningAgain: Dispatcher.DispatcherComposeInterceptor = () => (_options, given) => {
  const handler = given as Required<Dispatcher.DispatchHandler>;
  for (const text of ['half', 'half and half']) {
    handler.onRequestStart(controller, {});
    handler.onResponseStart(controller, 200, { 'content-length': '13' }, 'OK');
    handler.onResponseData(controller, Buffer.from(text));
  }
  handler.onResponseEnd(controller, {});
  return true;
};

test.each([1, 2] as const)('the caller sees one answer, and that it broke off (%i)', async (generation) => {
  const heard = recorder(generation);
  openAgent()
    .compose(beginningAgain, retry(soon))
    .dispatch({ origin: 'http://127.0.0.1:9', path: '/', method: 'GET' }, heard);
  await heard.settled;
  expect(heard.calls).toEqual(['start', 'head 200', 'data', 'error']);
  expect(heard.error).toMatchObject({ code: 'UND_ERR_SOCKET' });
});
