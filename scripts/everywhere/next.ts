/** Next: builds a Node route, an edge route and a middleware, and sends requests to them. */

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

const middleware = `
import { NextResponse } from 'next/server';
import { askAxios } from './app/axios-guest';
import { askFetch } from './app/fetch-guest';
export async function middleware(request) {
  const server = request.nextUrl.searchParams.get('server');
  return new NextResponse([await askAxios(server, { adapter: 'fetch' }), await askFetch(server)].join());
}
export const config = { matcher: '/middleware' };
`;

export const next: Check = {
  name: 'next',
  proves: 'Next 15: axios, fetch and undici in Node routes; axios and fetch at the edge and in a middleware',
  guests: 7,
  packages: ['next@15.5.29', 'react@19.2.0', 'react-dom@19.2.0', clients.axios, clients.undici],
  files: {
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
    'middleware.js': middleware,
  },
  async run(place, server) {
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
    const built = await run('npx', ['--no-install', 'next', 'build'], place, env);
    if (/warn/i.test(built)) throw new Error(built);
    const { url, end } = await started(place, env);
    try {
      for (const path of ['node', 'fetch', 'undici', 'edge', 'edge-fetch', 'middleware']) {
        const response = await fetch(`${url}/${path}?server=${server}`);
        expectAnswers(`${path}: ${await response.text()}`, path === 'middleware' ? 2 : 1);
      }
    } finally {
      await end();
    }
  },
};

async function started(
  place: string,
  env: NodeJS.ProcessEnv,
): Promise<{ url: string; end(): Promise<unknown> }> {
  const args = ['node_modules/next/dist/bin/next', 'start', '--port', '0', '--hostname', '127.0.0.1'];
  const child = spawn(process.execPath, args, { cwd: place, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const end = async (): Promise<unknown> => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill();
    return ended;
  };
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
    if (url !== undefined) return { url, end };
  }
  throw new Error(`next did not start: ${said}`);
}
