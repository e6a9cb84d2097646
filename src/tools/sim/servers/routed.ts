/** A server that answers by path: a tenant with a limit of its own, a route that is broken. */

import type { RoutedServer } from '../world.js';
import { Delegating } from './delegating.js';
import type { Host, Server } from './server.js';

export class Routed extends Delegating {
  private readonly byPath: ReadonlyMap<string, Server>;
  private readonly otherwise: Server;
  private readonly host: Host;

  constructor({ routes }: RoutedServer, servers: readonly Server[], otherwise: Server, host: Host) {
    super([...servers, otherwise]);
    this.byPath = new Map(routes.map(({ path }, index) => [path, servers[index] as Server]));
    this.otherwise = otherwise;
    this.host = host;
  }

  protected override serverFor(visit: number): Server {
    return this.byPath.get(this.host.pathOf(visit)) ?? this.otherwise;
  }
}
