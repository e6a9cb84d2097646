/** Checks what the tests assume about the undici under test. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { builtIn, globalReachesBuiltIn, major, undici, version } from './client.js';

test('its major version is that of its version string', () => {
  expect(version.startsWith(`${major}.`)).toBe(true);
});

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
