/** A server that consists of several: each attempt goes to one of them, which answers it. */

import type { Server } from './server.js';

export abstract class Delegating implements Server {
  delayMs = 0;
  private readonly servers: readonly Server[];
  /** By visit: a request in progress stays with the server on which it started. */
  private readonly owners: Server[] = [];

  constructor(servers: readonly Server[]) {
    this.servers = servers;
  }

  protected abstract serverFor(visit: number): Server;

  get concurrency(): number {
    return this.servers.reduce((sum, server) => sum + server.concurrency, 0);
  }

  arrive(visit: number): void {
    const server = this.serverFor(visit);
    this.owners[visit] = server;
    server.arrive(visit);
    this.delayMs = server.delayMs;
  }

  tick(visit: number): void {
    this.owners[visit]?.tick(visit);
  }

  continue(visit: number): void {
    this.owners[visit]?.continue?.(visit);
  }

  forget(): void {
    for (const server of this.servers) server.forget();
  }
}
