/** A runtime under test: what it is asked through, and where what it sends arrives. */

import type { RuntimeName } from './exceptions.js';
import type { FarServer } from './far-server.js';
import type { ClientName, Order, Report } from './order.js';

export interface Host {
  ask<O extends Order>(order: O): Promise<Report<O>>;
}

export interface Runtime {
  readonly name: RuntimeName;
  readonly clients: readonly ClientName[];
  host(): Host;
  server(): FarServer;
}
