/** Every second answer is cut at a random byte of its body: none of these cuts reaches a caller in a runtime. */

import { describe, expect, test } from 'vitest';
import { framings, startCutting, wholeTexts } from '../faults/cutting.js';
import type { Runtime } from './runtime.js';

const policy = {
  schedule: { kind: 'fixed', waitMs: 1, jitter: 'none' },
  wholeBodyBytes: 65_536,
  budget: false,
} as const;

/** A thousand by the client that everything else stands on, so that a cut falls on every part of the framing. */
const thousand = 1_000 / framings.length;
const some = 60;

export function cutsThere({ clients, host }: Omit<Runtime, 'server'>): void {
  describe.each(clients)('%s', (client) => {
    const requests = client === 'fetch' ? thousand : some;
    test.each(framings.map((framed) => [framed.name, framed] as const))('%s', async (_name, framed) => {
      await using server = await startCutting(framed);
      const { got } = await host().ask({ kind: 'cuts', client, url: server.url, requests, policy });
      expect(Object.entries(got).filter(([text]) => !wholeTexts.includes(text))).toEqual([]);
      // Bun and Deno take a packed body for whole at its own end, whatever is missing of the framing.
      expect(server.answers).toBeGreaterThan(1.9 * requests);
      expect(server.answers).toBeLessThanOrEqual(2 * requests);
    });
  });
}
