/** What the crowds ask: a small server of the same process. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { monotonicMs } from './plan.js';

const latencyMs = 5;

export class SmallServer {
  /** When attempts came. */
  readonly cameAt: number[] = [];
  /** The next request is refused for this many seconds. */
  refuseFor: number | undefined = undefined;
  refusedAt = 0;
  /** One of so many is answered with 503. */
  failEach: number = Infinity;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((_request, response) => {
      this.cameAt.push(monotonicMs());
      if (this.refuseFor !== undefined) {
        const seconds = String(this.refuseFor);
        this.refuseFor = undefined;
        this.refusedAt = monotonicMs();
        response.writeHead(429, { 'retry-after': seconds }).end();
        return;
      }
      const status = this.cameAt.length % this.failEach === 0 ? 503 : 200;
      setTimeout(() => response.writeHead(status).end('fine'), latencyMs);
    });
  }

  static async start(): Promise<SmallServer> {
    const server = new SmallServer();
    server.server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  async end(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
