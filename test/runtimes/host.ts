/**
 * Runtimes that serve HTTP: each is asked by a request, and answers with its report. happy-dom does not serve; the Node
 * that it runs in does.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.js';
import { bundleGuest } from './bundle.js';
import type { Host } from './runtime.js';
import { patiently, workerdConfig } from './serving.js';

export type ServingRuntime = 'bun' | 'deno' | 'workerd' | 'happy-dom';

const main = (port: number): string => `
import { perform } from './guest.js';

async function answer(request) {
  const order = await request.text();
  if (order === '') return new Response('here');
  return Response.json(await perform(JSON.parse(order)));
}

export default { port: ${port}, hostname: '127.0.0.1', idleTimeout: 60, fetch: answer };
`;

/** As happy-dom's own registrator and test runners do it: the globals of a window are those of the process. */
const mainInWindow = (port: number): string => `
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { GlobalRegistrator } from '@happy-dom/global-registrator';

GlobalRegistrator.register({
  url: 'http://127.0.0.1/',
  settings: { fetch: { disableSameOriginPolicy: true } },
});
const { perform } = await import('./guest.js');
createServer(async (request, response) => {
  const order = await text(request);
  response.end(order === '' ? 'here' : JSON.stringify(await perform(JSON.parse(order))));
}).listen(${port}, '127.0.0.1');
`;

/** In a folder in which the runtime is installed. */
export async function startHost(runtime: ServingRuntime, place: string): Promise<Host & AsyncDisposable> {
  const port = await freePort();
  const { script, args, files, target, ...other } = runtimes[runtime](port);
  const { program = join(place, 'node_modules/.bin', runtime), content = main(port) } = other;
  writeFileSync(join(place, script), await bundleGuest(content, { ...target, place, format: 'esm' }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
  const child = spawn(program, args, { cwd: place, stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}/`;
  const close = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
  try {
    await patiently(url);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ask: async (order) => {
      const answered = await fetch(url, { method: 'POST', body: JSON.stringify(order) });
      const text = await answered.text();
      if (!answered.ok) throw new Error(`${runtime} answered ${answered.status}: ${text}`);
      return JSON.parse(text);
    },
    [Symbol.asyncDispose]: close,
  };
}

interface Start {
  readonly program?: string;
  readonly content?: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly target: { readonly external?: readonly string[]; readonly conditions?: readonly string[] };
}

const runtimes: Readonly<Record<ServingRuntime, (port: number) => Start>> = {
  bun: () => ({ script: 'guest.mjs', args: ['guest.mjs'], files: {}, target: { external: ['axios'] } }),
  deno: (port) => ({
    script: 'guest.mjs',
    args: [
      ...['serve', '--allow-all', '--node-modules-dir=manual', '--host', '127.0.0.1', '--port', `${port}`],
      'guest.mjs',
    ],
    files: {},
    target: { external: ['axios'] },
  }),
  workerd: (port) => ({
    script: 'worker.mjs',
    args: ['serve', 'guest.capnp'],
    files: { 'guest.capnp': workerdConfig(port, 'worker.mjs') },
    target: { conditions: ['workerd', 'browser'] },
  }),
  'happy-dom': (port) => ({
    program: process.execPath,
    script: 'guest.mjs',
    content: mainInWindow(port),
    args: ['guest.mjs'],
    files: {},
    target: { external: ['axios', 'node:*', '@happy-dom/global-registrator'] },
  }),
};
