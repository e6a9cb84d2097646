/** Wrong ways to use `retry()`: the error says at once what to write. */

import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { undici } from './client.js';

describe('wrong uses of retry()', () => {
  test('compose(retry), with the call forgotten', () => {
    const uncalled = retry as never;
    expect(() => new undici.Agent().compose(uncalled)).toThrow(
      new TypeError('undaunted: call retry: write compose(retry()), not compose(retry)'),
    );
  });

  test('retry(agent), with the dispatcher in the place of the policy', () => {
    const agent = new undici.Agent();
    expect(() => retry(agent as never)).toThrow(
      new TypeError(
        'undaunted: retry() takes a policy, not a dispatcher: write agent.compose(retry(policy))',
      ),
    );
  });

  test("undici's own options name ours", () => {
    const options = { maxRetries: 1, minTimeout: 100, statusCodes: [503] } as never;
    expect(() => retry(options)).toThrow(/minTimeout: .* Did you mean "schedule.firstMs"\?\n.*"statuses"\?$/);
  });

  test('the name of a preset, as the command line takes it', () => {
    expect(() => retry('service' as never)).toThrow(
      '(policy): found a string "service"; allowed: an object. Write presets.policies.service, with the presets of "undaunted", or settings.',
    );
  });
});
