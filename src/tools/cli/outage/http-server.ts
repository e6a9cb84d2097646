/** The server of smira/exponential-backoff (2014) as a real one, on the loopback interface only. */

import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { CrowdedServer } from '../../sim/index.js';
import { isForUs, listenHere, turnAway } from '../listening.js';
import { CrowdedHost } from './crowded-host.js';

interface ServerOptions {
  readonly model: CrowdedServer;
  /** 0: any free one. */
  readonly port: number;
  /** How many connections the kernel accepts while the process is stopped. */
  readonly backlog: number;
}

export interface CrowdedHttpServer {
  readonly url: string;
  readonly host: CrowdedHost;
  close(): Promise<void>;
}

export const paths = { work: '/api', pid: '/pid' } as const;

export async function openServer({ model, port, backlog }: ServerOptions): Promise<CrowdedHttpServer> {
  const host = new CrowdedHost(model);
  // Long waits are the point of it: no time limits of Node's own.
  const server = createServer({ requestTimeout: 0, headersTimeout: 0 }, listenerOf(host));
  const origin = await listenHere(server, { port, backlog });
  return {
    host,
    url: `${origin}${paths.work}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function listenerOf(host: CrowdedHost): RequestListener {
  return (request, response) => {
    if (!isForUs(request)) {
      turnAway(response);
      return;
    }
    switch (pathOf(request)) {
      case paths.work:
        host.receive(() => response.end('OK'));
        break;
      case paths.pid:
        // For clients that send SIGSTOP and SIGCONT.
        response.end(String(process.pid));
        break;
      default:
        response.writeHead(404).end();
    }
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}
