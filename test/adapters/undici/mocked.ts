/** undici's own MockAgent in place of a server, with retries over it. */

import type { Dispatcher } from 'undici';
import { retry } from '../../../src/adapters/undici/index.js';
import type { Given } from '../suites/subject.js';
import { undici } from './client.js';

export function mockedAgent(
  statuses: readonly number[] | 'silence',
  given: Given,
): { readonly dispatcher: Dispatcher; readonly attempts: () => number } {
  const mock = new undici.MockAgent();
  mock.disableNetConnect();
  let attempts = 0;
  const reply = () => {
    attempts += 1;
    return { statusCode: statuses[attempts - 1] as number, data: 'said' };
  };
  const intercepted = mock.get('https://api.example.com').intercept({ path: '/' });
  if (statuses === 'silence') intercepted.reply(200).delay(60_000);
  else intercepted.reply(reply).times(statuses.length);
  return { dispatcher: mock.compose(retry(given)), attempts: () => attempts };
}
