/** Wrong arguments of withRetry(): the error says at once what it needs. */

import { describe, expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';

describe('something other than a fetch', () => {
  test.each<[string, unknown, string]>([
    ['null', null, 'null'],
    ['a URL, as if it were the fetch itself', 'https://example.com', 'a string "https://example.com"'],
    ['a URL object', new URL('https://example.com'), 'an instance of a class'],
    ['settings, without a fetch before them', { maxRetries: 3 }, 'an object'],
  ])('%s', (_, given, found) => {
    expect(() => withRetry(given as never)).toThrow(
      new TypeError(
        `undaunted: withRetry() needs a fetch to wrap first, but got ${found}: ` +
          'write withRetry(fetch, options) and call what it returns, or withRetry(undefined, options) for the global fetch',
      ),
    );
  });

  test('a fetch in the place of the policy', () => {
    expect(() => withRetry(fetch, fetch as never)).toThrow('Write the settings as a plain object.');
  });

  test("ofetch's and ky's options name ours", () => {
    const options = { retryDelay: 100, retryStatusCodes: [503], limit: 2 } as never;
    expect(() => withRetry(fetch, options)).toThrow(
      /retryDelay: .*"schedule"\?\n.*retryStatusCodes: .*"statuses"\?\n.*limit: .*"maxRetries"\?$/,
    );
  });

  test('the name of a preset, as the command line takes it', () => {
    expect(() => withRetry(fetch, 'service' as never)).toThrow(
      '(policy): found a string "service"; allowed: an object. Write presets.policies.service, with the presets of "undaunted", or settings.',
    );
  });
});
