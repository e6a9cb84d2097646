/** For tests of what requests share: their answers, and a clock that everything shared is measured by. */

import type { AxiosInstance } from 'axios';
import type { Ports } from '../../../src/runtime/ports.js';
import { settled } from './kit.js';
import { Waits } from './time.js';

/** The status of the answer, whatever axios makes of it. */
export async function statusOf(
  instance: AxiosInstance,
  url: string,
  more: object = {},
): Promise<number | undefined> {
  const { value, error } = await settled(instance.get(url, more));
  return value?.status ?? (error as { response?: { status: number } }).response?.status;
}

/** A clock that stands still until it is moved. */
export class Clock {
  now = 0;
  readonly waits: Waits;
  readonly ports: Partial<Ports>;

  constructor(wakes: 'at once' | 'when told' = 'when told') {
    this.waits = new Waits(wakes);
    this.ports = { now: () => this.now, random: () => 0.5, sleep: this.waits.sleep };
  }
}
