/** Next: builds Node routes, edge routes and a middleware, and sends requests to them. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { run } from '../command.js';
import { axiosGuest, type Check, clients, expectAnswers, fetchGuest, undiciGuest } from './check.js';

const route = (runtime: string, guest: 'Axios' | 'Fetch' | 'Undici', options = ''): string => `
import { ask${guest} } from '../${guest.toLowerCase()}-guest';
export const runtime = '${runtime}';
export const dynamic = 'force-dynamic';
export async function GET(request) {
  const server = new URL(request.url).searchParams.get('server');
  return new Response(await ask${guest}(server${options}));
}
`;

/** Next's own cache keeps the answer that a retry got. */
const cached = `
import { historyOf } from 'undaunted';
import { withRetry } from 'undaunted/fetch';
const send = withRetry(undefined, { schedule: { kind: 'fixed', waitMs: 10 } });
export async function GET(request) {
  const server = new URL(request.url).searchParams.get('server');
  const response = await send(server + '/cached', { next: { revalidate: 60 } });
  return new Response(response.status + ' after ' + historyOf(response)?.length);
}
`;

const inBetween = (name: 'middleware' | 'proxy'): string => `
import { NextResponse } from 'next/server';
import { askAxios } from './app/axios-guest';
import { askFetch } from './app/fetch-guest';
export async function ${name}(request) {
  const server = request.nextUrl.searchParams.get('server');
  return new NextResponse([await askAxios(server, { adapter: 'fetch' }), await askFetch(server)].join());
}
export const config = { matcher: '/between' };
`;

const files = {
  'app/axios-guest.js': axiosGuest,
  'app/fetch-guest.js': fetchGuest,
  'app/undici-guest.js': undiciGuest,
  'app/layout.js':
    'export default function Layout({ children }) { return <html><body>{children}</body></html> }',
  'app/page.js': 'export default function Page() { return <p>Hello</p> }',
  'app/node/route.js': route('nodejs', 'Axios'),
  'app/fetch/route.js': route('nodejs', 'Fetch'),
  'app/undici/route.js': route('nodejs', 'Undici'),
  'app/edge/route.js': route('edge', 'Axios', ", { adapter: 'fetch' }"),
  'app/edge-fetch/route.js': route('edge', 'Fetch'),
  'app/cached/route.js': cached,
};

const paths = ['node', 'fetch', 'undici', 'edge', 'edge-fetch', 'between', 'cached'];

/** What was a middleware is a proxy since Next 16, on Node. */
const next = (version: string, between: 'middleware' | 'proxy'): Check => ({
  name: `next-${version.split('.', 1)}`,
  proves: `Next ${version}: axios, fetch and undici in Node routes; axios and fetch at the edge and in a ${between}; its cache`,
  guests: 8,
  packages: [`next@${version}`, 'react@19.2.0', 'react-dom@19.2.0', clients.axios, clients.undici],
  files: { ...files, [`${between}.js`]: inBetween(between) },
  async run(place, server) {
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
    const built = await run('npx', ['--no-install', 'next', 'build'], place, env);
    if (/warn/i.test(built)) throw new Error(built);
    const { url, end } = await started(place, env);
    try {
      for (const path of paths) {
        const response = await fetch(`${url}/${path}?server=${server}`);
        expectAnswers(`${path}: ${await response.text()}`, path === 'between' ? 2 : 1);
      }
      const again = await (await fetch(`${url}/cached?server=${server}`)).text();
      if (again !== '200 after 1') throw new Error(`what is cached: ${again}`);
    } finally {
      await end();
    }
  },
});

export const nextVersions: readonly Check[] = [next('15.5.29', 'middleware'), next('16.4.6', 'proxy')];

function started(place: string, env: NodeJS.ProcessEnv): Promise<{ url: string; end(): Promise<unknown> }> {
  const args = ['node_modules/next/dist/bin/next', 'start', '--port', '0', '--hostname', '127.0.0.1'];
  const child = spawn(process.execPath, args, { cwd: place, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const end = async (): Promise<unknown> => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill();
    return ended;
  };
  let said = '';
  return new Promise((resolve, reject) => {
    // It goes on writing, so nothing here may end its stdout.
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (url !== undefined) resolve({ url, end });
    });
    child.on('exit', () => reject(new Error(`next did not start: ${said}`)));
  });
}
