/** The matrix is worth as much as this: each run meets the undici that it asked for, and no other. */

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtIn, globalReachesBuiltIn, major, undici, version } from './client.js';

test('the undici under test is the one that was asked for', () => {
  const folder = process.env['UNDICI_UNDER_TEST'] ?? process.cwd();
  const manifest = readFileSync(join(folder, 'node_modules/undici/package.json'), 'utf8');
  expect(version).toBe((JSON.parse(manifest) as { version: string }).version);
  expect(undici.Agent).toBe(createRequire(join(folder, 'package.json'))('undici').Agent);
  expect(version.startsWith(`${major}.`)).toBe(true);
});

test('no file here imports undici by itself, but for its types', () => {
  const sources = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts'));
  expect(sources).toContain('client.ts');
  const importers = sources.filter((name) =>
    importsUndici(readFileSync(join(import.meta.dirname, name), 'utf8')),
  );
  expect(importers).toEqual([]);
});

test.each(["import { Agent } from 'undici';", "import {\n  Agent,\n  type Dispatcher,\n} from 'undici';"])(
  '… such as: %s',
  (code) => {
    expect(importsUndici(code)).toBe(true);
  },
);

function importsUndici(code: string): boolean {
  return /^import (?!type\b)[^;]*? from 'undici'/m.test(code);
}

test(`setGlobalDispatcher() ${globalReachesBuiltIn ? 'reaches' : 'does not reach'} Node's own fetch`, async () => {
  const server = createServer((_request, response) => response.end('answered')).listen(0, '127.0.0.1');
  const agent = new undici.Agent();
  const before = undici.getGlobalDispatcher();
  onTestFinished(async () => {
    undici.setGlobalDispatcher(before);
    await agent.close();
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');

  let dispatched = 0;
  undici.setGlobalDispatcher(
    agent.compose((dispatch) => (options, handler) => {
      dispatched += 1;
      return dispatch(options, handler);
    }),
  );
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

  expect(await response.text()).toBe('answered');
  expect(dispatched, `by undici ${version} to the built-in ${builtIn.version}`).toBe(
    globalReachesBuiltIn ? 1 : 0,
  );
});
