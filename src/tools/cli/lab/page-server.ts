/** Serves one page on 127.0.0.1, and nothing else. */

import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { isForUs, listenHere, turnAway } from '../listening.js';

interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function openPageServer(page: string, port: number): Promise<PageServer> {
  const server = createServer(answering(page));
  const origin = await listenHere(server, { port });
  return {
    url: `${origin}/`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The page itself says what it may load; these say what others may do with the page. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

function answering(page: string): RequestListener {
  const bytes = Buffer.from(page);
  return (request, response) => {
    const { method = '', url = '' } = request;
    if (!isForUs(request)) turnAway(response);
    else if (url.split('?')[0] !== '/') response.writeHead(404).end();
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end();
    else response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
  };
}
