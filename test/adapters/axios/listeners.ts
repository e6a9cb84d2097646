/** For tests of what listeners are told. */

import type { AxiosInstance } from 'axios';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { Event } from '../decisions.js';
import { soon } from '../kit.js';
import { retryingInstance } from './kit.js';

/** An instance, and everything that is said of its requests. */
export function listened(policy: PolicyOptions = {}): { instance: AxiosInstance; events: Event[] } {
  const events: Event[] = [];
  const instance = retryingInstance({ ...soon, ...policy, observe: (event) => void events.push(event) });
  return { instance, events };
}
