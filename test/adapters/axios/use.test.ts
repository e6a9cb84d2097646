/** Wrong arguments of attachRetry(): the error says at once what it needs. */

import { describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { axios } from './client.js';

describe('something other than an instance', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'nothing'],
    ['null', null, 'null'],
    ['a configuration', { baseURL: 'https://api.example.com' }, 'an object'],
    ['settings, without an instance before them', { maxRetries: 3 }, 'an object'],
    ['a URL', 'https://api.example.com', 'a string "https://api.example.com"'],
    ['a function that makes one', axios.create, 'a function'],
    ['its headers', new axios.AxiosHeaders(), 'an instance of a class'],
    ['half of one', { interceptors: {} }, 'an object'],
  ])('%s', (_, given, found) => {
    expect(() => attachRetry(given as never)).toThrow(
      new TypeError(
        `undaunted: attachRetry() needs an axios instance first, but got ${found}: write attachRetry(axios.create(config), policy)`,
      ),
    );
  });

  test('the configuration of a request, where attachRetry itself was made an interceptor', async () => {
    const instance = axios.create();
    instance.interceptors.request.use(attachRetry as never);
    await expect(instance.get('http://127.0.0.1:1/')).rejects.toThrow(
      'attachRetry() needs an axios instance',
    );
  });

  test('an instance in the place of the policy', () => {
    expect(() => attachRetry(axios.create(), axios.create() as never)).toThrow(
      '(policy): found a function; allowed: an object. Write the settings as a plain object. ' +
        'A client belongs to compose(retry()), attachRetry() or withRetry().',
    );
  });

  test("axios-retry's options name ours", () => {
    const options = { retries: 3, retryDelay: () => 100, retryCondition: () => true } as never;
    expect(() => attachRetry(axios.create(), options)).toThrow(
      /retries: .*"maxRetries"\?\n.*retryDelay: .*"schedule"\?\n.*retryCondition: .*"retryIf"\?$/,
    );
  });

  test('the name of a preset, as the command line takes it', () => {
    expect(() => attachRetry(axios.create(), 'service' as never)).toThrow(
      '(policy): found a string "service"; allowed: an object. Write presets.policies.service, with the presets of "undaunted", or settings.',
    );
  });
});
