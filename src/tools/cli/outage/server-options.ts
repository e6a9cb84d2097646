/** What kind of server it is. */

import type { CrowdedServer } from '../../sim/index.js';
import { articleServer } from '../../sim/index.js';
import type { Given, SureQuantity } from '../command.js';

/** Of the server itself, and of clients that start one. */
export const serverOptions: Record<'limit' | 'factor' | 'base-delay' | 'backlog', SureQuantity> = {
  limit: {
    kind: 'integer',
    summary: 'above so many requests in progress, it becomes slower',
    default: articleServer.limit,
  },
  factor: {
    kind: 'number',
    summary: `by this factor for each ${articleServer.step} requests more`,
    default: articleServer.factor,
    least: 1,
    most: 100,
  },
  'base-delay': {
    kind: 'duration',
    summary: 'what an answer takes up to the limit',
    default: articleServer.baseMs,
    least: 1,
    most: 60_000,
  },
  backlog: {
    kind: 'integer',
    summary: 'connections that the kernel accepts for it while it is stopped',
    default: 511,
    least: 1,
    most: 65_535,
  },
};

export function modelOf(options: Given<typeof serverOptions>['options']): CrowdedServer {
  const { limit, factor, 'base-delay': baseMs } = options;
  return { ...articleServer, limit, factor, baseMs };
}
