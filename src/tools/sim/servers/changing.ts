/** A server that changes with time: a limit that is raised, a second of 503s. */

import type { ChangingServer } from '../world.js';
import { Delegating } from './delegating.js';
import type { Host, Server } from './server.js';

export class Changing extends Delegating {
  private readonly phases: readonly Server[];
  private readonly startsAt: readonly number[];
  private readonly everyMs: number;
  private readonly host: Host;

  constructor({ phases, everyMs }: ChangingServer, servers: readonly Server[], host: Host) {
    super(servers);
    this.phases = servers;
    this.startsAt = phases.map(({ fromMs }) => fromMs);
    this.everyMs = everyMs ?? Infinity;
    this.host = host;
  }

  protected override serverFor(): Server {
    const { startsAt, everyMs, host } = this;
    const at = everyMs < Infinity ? host.now % everyMs : host.now;
    let current = 0;
    while (current + 1 < startsAt.length && at >= (startsAt[current + 1] as number)) current += 1;
    return this.phases[current] as Server;
  }
}
