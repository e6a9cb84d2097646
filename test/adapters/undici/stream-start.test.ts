/** An event stream that fails before its content is a failed attempt, of which undici's callers hear nothing. */

import { expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { cutChunked } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { begun, bye, ended, errorOf, eventStream, hello, ping } from '../suites/streams.js';
import { retryingAgent } from './kit.js';
import { record } from './recorder.js';

const start: PolicyOptions = { ...soon, hints: 'anthropic', streamStart: {} };
const good = ended(begun, ping, hello, bye);
const all = begun + ping + hello + bye;

test.each([
  ['an error event', ended(begun, errorOf('overloaded_error'))],
  ['a cut', cutChunked('fin', begun, eventStream)],
  ['a reset', cutChunked('rst', begun, eventStream)],
  ['nothing at all', ended()],
  ['an end without content', ended(begun, ping)],
])('%s', async (_what, play) => {
  const lab = await openLab([play, good]);
  const recorder = await record(retryingAgent(start), { origin: lab.origin }).end();
  expect(recorder).toMatchObject({ starts: 1, ends: 1, errors: [] });
  expect(recorder.heads).toHaveLength(1);
  expect(recorder.bytes.toString()).toBe(all);
  expect(lab.requests).toHaveLength(2);
});
