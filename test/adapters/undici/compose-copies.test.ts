/** Two copies of this package in one process, as two dependencies may bring them: still, only the outermost retries. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf } from '../../../src/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { openAgent } from './kit.js';

const folder = await mkdtemp(join(tmpdir(), 'copy-'));
afterAll(() => rm(folder, { recursive: true }));

const other = await copyOf('../../../src/adapters/undici/index.ts');

async function copyOf(source: string): Promise<{ readonly retry: typeof retry }> {
  const outfile = join(folder, 'copy.mjs');
  const entryPoints = [join(import.meta.dirname, source)];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  return import(/* @vite-ignore */ pathToFileURL(outfile).href);
}

test.each([
  ['a copy inside', other.retry, retry],
  ['a copy outside', retry, other.retry],
])('%s', async (_name, inner, outer) => {
  expect(other.retry).not.toBe(retry);
  const lab = await openLab(answer(503));
  const agent = openAgent().compose(inner(soon), outer({ ...soon, maxRetries: 2 }));
  const response = await agent.request({ origin: lab.origin, path: '/', method: 'GET' });
  await response.body.dump();
  expect([response.statusCode, lab.requests.length]).toEqual([503, 3]);
  expect(historyOf(response)).toHaveLength(3);
});
