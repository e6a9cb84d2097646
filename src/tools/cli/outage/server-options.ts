/** The options that describe the server. */

import { timeText } from '../../../internal.js';
import type { CrowdedServer } from '../../sim/index.js';
import { articleServer } from '../../sim/index.js';
import type { Given, Quantity, SureQuantity } from '../command.js';

/** Options of the server, and of clients that start one. */
export const serverOptions: Record<'limit' | 'factor' | 'base-delay' | 'backlog', SureQuantity> = {
  limit: {
    kind: 'integer',
    summary: 'requests in progress that do not slow it down yet',
    default: articleServer.limit,
  },
  factor: {
    kind: 'number',
    summary: `by which every ${articleServer.step} more requests slow it down`,
    default: articleServer.factor,
    least: 1,
    most: 100,
  },
  'base-delay': {
    kind: 'duration',
    summary: 'response time below the limit',
    default: articleServer.baseMs,
    least: 1,
    most: 60_000,
  },
  backlog: {
    kind: 'integer',
    summary: 'connections that the kernel accepts while the server is stopped',
    default: 511,
    least: 1,
    most: 65_535,
  },
};

/** The same for a server that is started by the clients: one that runs already cannot be changed. */
export const startedServerOptions: Record<keyof typeof serverOptions, Quantity> = optional(serverOptions);

function optional<Name extends string>(
  options: Readonly<Record<Name, SureQuantity>>,
): Record<Name, Quantity> {
  const entries = Object.entries<SureQuantity>(options).map(([name, { default: value, ...option }]) => {
    const text = option.kind === 'duration' ? timeText(value) : value;
    return [name, { ...option, summary: `${option.summary} (default: ${text})` }];
  });
  return Object.fromEntries(entries) as Record<Name, Quantity>;
}

export function modelOf(options: Given<typeof serverOptions>['options']): CrowdedServer {
  const { limit, factor, 'base-delay': baseMs } = options;
  return { ...articleServer, limit, factor, baseMs };
}
