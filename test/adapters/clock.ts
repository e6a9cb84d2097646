/** A clock for tests of shared limits. */

import type { Ports } from '../../src/kernel/ports.js';
import { Waits } from './waits.js';

/** A clock that stands still until it is moved. */
export class Clock {
  now = 0;
  readonly waits: Waits;
  readonly ports: Partial<Ports>;

  constructor(wakes: 'at once' | 'when told' = 'when told', watches: 'when told' | 'in time' = 'when told') {
    this.waits = new Waits(wakes, watches);
    this.ports = { now: () => this.now, random: () => 0.5, sleep: this.waits.sleep };
  }
}
