/** A stage in another runtime, whose server stands in the process of the test. */

import type { RequestRecord } from '../conformance/record.js';
import { isRefused, type Send, Stage } from '../conformance/stage.js';
import type { ScenarioOrder } from './order.js';

/** Far longer than any scenario takes. */
const patienceMs = 20_000;

export class FarStage extends Stage {
  readonly #order: ScenarioOrder;
  readonly #listening = new AbortController();
  #count = 0;

  constructor(order: ScenarioOrder) {
    const { control } = order.places;
    super(order.scenario, (name) => void fetch(`${control}/cue/${name}`));
    this.#order = order;
  }

  /** Where the next attempt goes; what is to become of it stands in the address. */
  takeAddress(): string {
    const { run, places } = this.#order;
    const script = this.depart();
    if (isRefused(script)) return places.refused;
    this.#count += 1;
    const name = `${run}-${this.#count}`;
    void this.#listen(name);
    return `${places.attempts}/${name}?play=${encodeURIComponent(JSON.stringify(script))}`;
  }

  async play(send: Send): Promise<readonly RequestRecord[]> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hangs = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the scenario does not come to rest')), patienceMs);
    });
    try {
      return await Promise.race([this.run(send), hangs]);
    } finally {
      clearTimeout(timer);
      this.#listening.abort();
    }
  }

  async #listen(name: string): Promise<void> {
    const { control } = this.#order.places;
    try {
      const arrived = await fetch(`${control}/arrival/${name}`, { signal: this.#listening.signal });
      this.arrive(name, await arrived.json());
    } catch {
      // The scenario is over without it, and its record says so.
    }
  }
}
