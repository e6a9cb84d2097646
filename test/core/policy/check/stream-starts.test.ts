import { expect, test } from 'vitest';
import { streamStarts } from '../../../../src/core/policy/check/remarks.js';
import type { PolicyOptions } from '../../../../src/core/policy/options.js';

const match = '/x';
const streamStart = { maxMs: 5_000 };

test.each<[string, PolicyOptions, readonly string[]]>([
  ['off', {}, []],
  ['switched off', { streamStart: false, maxRetries: 0 }, []],
  ['on', { streamStart, attemptTimeoutMs: 10_000 }, []],
  ['where nothing is retried', { streamStart, maxRetries: 0 }, ['streamStart']],
  ['where retries are off', { streamStart, retry: false }, ['streamStart']],
  ['where nothing is retried but a hedge sent', { streamStart, maxRetries: 0, hedge: true }, []],
  [
    'in a rule where nothing is retried',
    { maxRetries: 0, rules: [{ match, streamStart }] },
    ['rules[0].streamStart'],
  ],
  ['inherited where nothing is retried', { streamStart, rules: [{ match, maxRetries: 0 }] }, []],
  ['longer than an attempt', { streamStart, attemptTimeoutMs: 2_000 }, ['streamStart.maxMs']],
  [
    'longer than an adaptive attempt',
    { streamStart, attemptTimeoutMs: { maxMs: 2_000 } },
    ['streamStart.maxMs'],
  ],
  [
    'longer than an attempt of a rule',
    { streamStart, rules: [{ match, attemptTimeoutMs: 900 }] },
    ['rules[0].attemptTimeoutMs'],
  ],
  ['of the default length', { streamStart: {}, attemptTimeoutMs: 900 }, []],
])('%s', (_, options, paths) => {
  expect(streamStarts(options).map(({ path }) => path)).toEqual(paths);
});

test('says which time applies', () => {
  const [remark] = streamStarts({ streamStart, attemptTimeoutMs: 2_000 });
  expect(remark?.says).toBe(
    'a stream is handed over after 2 s (attemptTimeoutMs), not after 5 s (streamStart.maxMs)',
  );
});
