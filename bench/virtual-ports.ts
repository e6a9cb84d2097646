/** Ports with virtual time, which passes only when it is told to. */

import type { Ports, Sleep } from '../src/index.js';
import { Agenda } from '../src/tools/sim/agenda.js';
import { diceOf } from '../src/tools/sim/internal.js';

export class VirtualPorts implements Ports {
  readonly random: () => number = diceOf(1, 1);
  /** The sleepers, by their slots on the agenda. */
  private readonly wakes: Map<number, () => void> = new Map();
  private slots = 0;
  private readonly agenda: Agenda = new Agenda();

  /** Timers that have neither fired nor been cancelled. */
  get timers(): number {
    return this.wakes.size;
  }

  readonly now = (): number => this.agenda.now;
  readonly date = (): number => this.agenda.now;

  readonly sleep: Sleep = (delayMs, wake) => {
    const slot = this.slots;
    this.slots += 1;
    this.wakes.set(slot, wake);
    this.agenda.at(this.agenda.now + delayMs, this.wake, slot, 0);
    return () => this.wakes.delete(slot);
  };

  pass(untilMs: number): void {
    this.agenda.run(untilMs);
  }

  private readonly wake = (slot: number): void => {
    const wake = this.wakes.get(slot);
    this.wakes.delete(slot);
    wake?.();
  };
}
