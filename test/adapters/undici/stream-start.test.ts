/** An event stream that fails before its content is a failed attempt, of which undici's callers hear nothing. */

import { expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { content, done, overloaded, role, streamOf } from '../event-streams.js';
import { openLab, soon } from '../kit.js';
import { retryingAgent } from './kit.js';
import { record } from './recorder.js';

const start: PolicyOptions = { ...soon, streamStart: {} };
const good = [role, content('hi'), done];

test.each([
  ['an error event', streamOf([role, overloaded])],
  ['a cut', streamOf([role], 'fin')],
  ['a reset', streamOf([role], 'rst')],
  ['nothing at all', streamOf([])],
  ['an end without content', streamOf([role, done])],
])('%s', async (_what, play) => {
  const lab = await openLab([play, streamOf(good)]);
  const recorder = await record(retryingAgent(start), { origin: lab.origin }).end();
  expect(recorder).toMatchObject({ starts: 1, ends: 1, errors: [] });
  expect(recorder.heads).toHaveLength(1);
  expect(recorder.bytes.toString()).toBe(good.join(''));
  expect(lab.requests).toHaveLength(2);
});
