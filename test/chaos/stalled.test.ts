/**
 * The client's own event loop stands still while requests are out. That says nothing about the server: it has answered
 * in time, or would have if it had been asked. Bare undici loses none of them.
 */

import { describe, expect, test } from 'vitest';
import { playStalled, type Stall } from './stalled-process.js';

const count = 30;
const places: readonly Stall[] = [
  'right after sending',
  'in setImmediate',
  "in a socket's callback",
  'in a timer',
];

describe.each(['undici', 'axios', 'axios over fetch', 'fetch'] as const)('%s', (client) => {
  test.concurrent.each(places)('loses and repeats nothing if its process stands still %s', async (where) => {
    const { during, next, gates, asked } = await playStalled({ client, where, stallMs: 2_500, count });
    const all = { 200: count };
    expect({ during, next, gates, asked }).toEqual({
      during: all,
      next: all,
      gates: ['open'],
      asked: 2 * count,
    });
  });
});
