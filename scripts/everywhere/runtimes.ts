/**
 * Other runtimes than Node: Bun, Deno, and workerd, which runs Cloudflare's Workers. In each of them, the guests send
 * requests, and then each client plays all conformance scenarios. happy-dom, in which people run tests, has a fetch of
 * its own, which sends every kind of body.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/free-port.js';
import { patiently, workerdConfig } from '../../test/runtimes/serving.js';
import { run } from '../command.js';
import { axiosGuest, type Check, clients, expectAnswers, fetchGuest, undiciGuest } from './check.js';

const main = `
import process from 'node:process';
import { askAxios } from './axios-guest.mjs';
import { askFetch } from './fetch-guest.mjs';
const { SERVER } = process.env;
console.log(await askAxios(SERVER), await askAxios(SERVER, { adapter: 'fetch' }), await askFetch(SERVER));
`;

const bun: Check = {
  name: 'bun',
  proves: 'Bun 1.4: fetch; axios, over http and over fetch; every scenario',
  guests: 3,
  packages: ['bun@1.4.5', clients.axios],
  files: { 'axios-guest.mjs': axiosGuest, 'fetch-guest.mjs': fetchGuest, 'main.mjs': main },
  async run(place, server) {
    const said = await run('npx', ['--no-install', 'bun', 'main.mjs'], place, {
      ...process.env,
      SERVER: server,
    });
    expectAnswers(said, 3);
    await playScenarios('bun', place);
  },
};

const deno: Check = {
  name: 'deno',
  proves: 'Deno 2.9: fetch; axios, over http and over fetch; undici; every scenario but for undici',
  guests: 4,
  packages: ['deno@2.9.6', clients.axios, clients.undici],
  files: {
    'axios-guest.mjs': axiosGuest,
    'fetch-guest.mjs': fetchGuest,
    'undici-guest.mjs': undiciGuest,
    'main.mjs': `${main}
import { askUndici } from './undici-guest.mjs';
console.log(await askUndici(SERVER));
`,
  },
  async run(place, server) {
    const args = ['--no-install', 'deno', 'run', '--allow-all', '--node-modules-dir=manual', 'main.mjs'];
    expectAnswers(await run('npx', args, place, { ...process.env, SERVER: server }), 4);
    await playScenarios('deno', place);
  },
};

const workerd: Check = {
  name: 'workerd',
  proves:
    'workerd (Cloudflare Workers) without any compatibility flag: fetch, and axios over it; every scenario',
  guests: 2,
  packages: ['workerd@1.20261117.1', 'esbuild@0.28.2', clients.axios],
  files: {
    'axios-guest.mjs': axiosGuest,
    'fetch-guest.mjs': fetchGuest,
    'worker.mjs': `
import { askAxios } from './axios-guest.mjs';
import { askFetch } from './fetch-guest.mjs';
export default {
  async fetch(request) {
    const server = new URL(request.url).searchParams.get('server');
    return new Response([await askAxios(server, { adapter: 'fetch' }), await askFetch(server)].join());
  },
};
`,
  },
  async run(place, server) {
    const bundle =
      'esbuild worker.mjs --bundle --format=esm --conditions=workerd,browser --outfile=out/worker.mjs';
    await run('npx', ['--no-install', ...bundle.split(' ')], place);
    const port = await freePort();
    writeFileSync(join(place, 'config.capnp'), workerdConfig(port, 'out/worker.mjs'));
    const program = join(place, 'node_modules/workerd/bin/workerd');
    const child = spawn(program, ['serve', 'config.capnp'], { cwd: place, stdio: 'inherit' });
    try {
      const response = await patiently(`http://127.0.0.1:${port}/?server=${server}`);
      expectAnswers(await response.text(), 2);
    } finally {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
    await playScenarios('workerd', place);
  },
};

const happyDom: Check = {
  name: 'happy-dom',
  proves: 'happy-dom 21, whose fetch ignores init beside a Request: fetch, and every body',
  guests: 1,
  packages: ['happy-dom@21.0.4', '@happy-dom/global-registrator@21.0.4', clients.axios],
  files: {
    'fetch-guest.mjs': fetchGuest,
    'main.mjs': `
import { GlobalRegistrator } from '@happy-dom/global-registrator';
GlobalRegistrator.register({ settings: { fetch: { disableSameOriginPolicy: true } } });
const { askFetch } = await import('./fetch-guest.mjs');
console.log(await askFetch(process.env.SERVER));
`,
  },
  async run(place, server) {
    const said = await run('node', ['main.mjs'], place, { ...process.env, SERVER: server });
    expectAnswers(said, 1);
    await playScenarios('happy-dom', place);
  },
};

/** Plays them with `test/runtimes` and the installed package. */
async function playScenarios(runtime: string, place: string): Promise<void> {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/runtimes/vitest.config.ts'];
  await run('node', args, '.', { ...process.env, NO_COLOR: '1', RUNTIME: runtime, PLACE: place });
}

export const runtimes: readonly Check[] = [bun, deno, workerd, happyDom];
