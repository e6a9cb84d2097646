/** How the beginning of a packed stream is watched. What it means is tested with the core, and over sockets. */

import { constants, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { streamStartOf } from '../../../src/core/decide/stream-start.js';
import { StartWatch } from '../../../src/drivers/body/stream-start.js';
import { definePolicy } from '../../../src/index.js';

function watched(): StartWatch {
  const { settings } = definePolicy({ streamStart: { maxMs: 1_000, maxBytes: 65_536 } }).fallback;
  const start = streamStartOf(settings, 'GET', 200, { 'content-type': 'text/event-stream' }, 0);
  if (start === undefined) throw new Error('An event stream is watched');
  return new StartWatch(start, 'gzip', 65_536);
}

const packed = (text: string): Buffer => gzipSync(Buffer.from(text), { finishFlush: constants.Z_SYNC_FLUSH });

function looksAt(bytes: Buffer, watch: StartWatch): number {
  return [...bytes].findIndex((_, index) => watch.sees(bytes.subarray(index, index + 1))) + 1;
}

test('in single bytes, a packed stream is known to have begun at its first content', () => {
  const bytes = packed(': ping\n\ndata: {"text":"hello"}\n\n');
  const looks = looksAt(bytes, watched());
  expect(looks).toBeGreaterThan(0);
  expect(looks).toBeLessThanOrEqual(bytes.length);
});

test('a packed stream of pings in single bytes is looked at 256 times, and has not failed then', () => {
  const pings = Array.from({ length: 2_000 }, (_, index) => `: ping ${index ** 3}\n\n`).join('');
  const watch = watched();
  expect(looksAt(packed(pings), watch)).toBe(257);
  expect(watch.failure(true)).toBeUndefined();
});
