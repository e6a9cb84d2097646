/**
 * What a fleet over a real Redis achieves and costs, next to the goals. Needs `redis-server`, and installs node-redis.
 *
 *   npm run bench:fleet                                  all of it, with 50 processes: five minutes
 *   npm run bench:fleet -- learning --processes 20       one part: learning, probing, losing, commanding, passing
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installInto } from '../../scripts/versions.js';
import { commanding } from './commanding.js';
import { learning } from './learning.js';
import { losing } from './losing.js';
import type { Ground, Line } from './part.js';
import { passing } from './passing.js';
import { probing } from './probing.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    processes: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '5' },
  },
});

const parts: Readonly<Record<string, (ground: Ground) => Promise<readonly Line[]>>> = {
  learning,
  probing,
  losing,
  commanding,
  passing,
};

const scratch = mkdtempSync(join(tmpdir(), 'fleet-'));
let missed = 0;
try {
  const nodeRedis = process.env['NODE_REDIS'] ?? scratch;
  if (nodeRedis === scratch) await installInto(scratch, ['redis@6.3.1']);
  const ground = { nodeRedis, processes: Number(values.processes), rounds: Number(values.rounds) };
  for (const [name, measured] of Object.entries(parts)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    for (const { what, figure, wanted, isMet } of await measured(ground)) {
      if (!isMet) missed += 1;
      console.log(`${isMet ? 'PASS' : 'MISS'}  ${what}: ${figure}   [${wanted}]`);
    }
  }
} finally {
  rmSync(scratch, { recursive: true });
}
process.exitCode = missed === 0 ? 0 : 1;
