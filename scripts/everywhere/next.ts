/** Next: a route in Node, one at the edge, and a middleware, built and asked. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { run } from '../command.js';
import { axiosGuest, type Check, clients, expectAnswers, undiciGuest } from './check.js';

const route = (runtime: string, guest: 'Axios' | 'Undici', options: string): string => `
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
export async function middleware(request) {
  const said = await askAxios(request.nextUrl.searchParams.get('server'), { adapter: 'fetch' });
  return new NextResponse(said);
}
export const config = { matcher: '/middleware' };
`;

export const next: Check = {
  name: 'next',
  proves: 'Next 15: axios and undici in a Node route; axios in an edge route and in a middleware',
  packages: ['next@15.5.29', 'react@19.2.0', 'react-dom@19.2.0', clients.axios, clients.undici],
  files: {
    'app/axios-guest.js': axiosGuest,
    'app/undici-guest.js': undiciGuest,
    'app/layout.js':
      'export default function Layout({ children }) { return <html><body>{children}</body></html> }',
    'app/page.js': 'export default function Page() { return <p>Hello</p> }',
    'app/node/route.js': route('nodejs', 'Axios', ''),
    'app/undici/route.js': route('nodejs', 'Undici', ''),
    'app/edge/route.js': route('edge', 'Axios', ", { adapter: 'fetch' }"),
    'middleware.js': middleware,
  },
  async run(place, server) {
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
    const built = await run('npx', ['--no-install', 'next', 'build'], place, env);
    if (/warn/i.test(built)) throw new Error(built);
    const { url, end } = await started(place, env);
    try {
      for (const path of ['node', 'undici', 'edge', 'middleware']) {
        const response = await fetch(`${url}/${path}?server=${server}`);
        expectAnswers(`${path}: ${await response.text()}`);
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
