/** Several servers behind one origin: each attempt reaches one of them at random. */

import { purposes } from '../luck.js';
import { cumulated, indexFor } from '../routes.js';
import type { BalancedServer } from '../world.js';
import { Delegating } from './delegating.js';
import type { Host, Server } from './server.js';

export class Balanced extends Delegating {
  private readonly backends: readonly Server[];
  private readonly upTo: readonly number[];
  private readonly host: Host;

  constructor({ backends }: BalancedServer, servers: readonly Server[], host: Host) {
    super(servers);
    this.backends = servers;
    this.upTo = cumulated(backends.map(({ weight = 1 }) => weight));
    this.host = host;
  }

  protected override serverFor(visit: number): Server {
    return this.backends[indexFor(this.upTo, this.host.draw(visit, purposes.backend))] as Server;
  }
}
