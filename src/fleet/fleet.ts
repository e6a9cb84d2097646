/** A fleet over a store: the members of this process, and the courier between the store and all of them. */

import type { FleetEvent } from '../core/events.js';
import { tellFleet } from '../kernel/events.js';
import type { FleetHome, FleetMember, FleetSnapshot, OpenFleet } from '../kernel/fleet.js';
import { Member } from './member.js';
import type { Store } from './port.js';
import { StoreCourier } from './store-courier.js';

export interface FleetOptions {
  /** Called when this process begins to share, and when it goes on alone because the store does not answer. */
  readonly observe?: (event: FleetEvent) => void;
  /** The name by which the store tells this process from others. Default: a random one. */
  readonly process?: string;
}

/** What differs from store to store. */
interface StoreTraits {
  /** How many of its answers could not be read so far. */
  unreadable(): number;
  /** Its last error, if there was one since its last answer. */
  problem(): string | undefined;
  /** The key under which it keeps the record of this name. */
  keyFor(name: string): string;
}

const plain: StoreTraits = { unreadable: () => 0, problem: () => undefined, keyFor: (name) => name };

export function fleetOver(store: Store, options: FleetOptions = {}, traits: StoreTraits = plain): OpenFleet {
  return new StoreFleet(store, options, traits);
}

/** For retriers that are made after their fleet was closed. */
const noStore: Store = {
  canTake: () => false,
  exchange: () => undefined,
  listen: () => () => undefined,
};

class StoreFleet implements OpenFleet {
  private readonly store: Store;
  private readonly options: FleetOptions;
  private readonly traits: StoreTraits;
  private courier: StoreCourier | undefined = undefined;
  private closed: Promise<void> | undefined = undefined;

  constructor(store: Store, options: FleetOptions, traits: StoreTraits) {
    this.store = store;
    this.options = options;
    this.traits = traits;
  }

  get [Symbol.toStringTag](): 'Fleet' {
    return 'Fleet';
  }

  join(home: FleetHome): FleetMember {
    // All retriers of a process share one courier, which uses the clock of the first.
    this.courier ??= this.courierFor(home);
    return new Member(home, this.courier, this.traits.keyFor, () => this.snapshot());
  }

  private courierFor(home: FleetHome): StoreCourier {
    const isClosed = this.closed !== undefined;
    const store = isClosed ? noStore : this.store;
    const courier = new StoreCourier(store, home.ports, this.processName(home), (isShared) =>
      this.tell(isShared),
    );
    if (isClosed) courier.close(() => undefined);
    return courier;
  }

  close(): Promise<void> {
    this.closed ??= new Promise((done) => {
      if (this.courier === undefined) done();
      else this.courier.close(done);
    });
    return this.closed;
  }

  private processName({ ports }: FleetHome): string {
    return (
      this.options.process ?? ports.random().toString(36).slice(2) + ports.random().toString(36).slice(2)
    );
  }

  private tell(isShared: boolean): void {
    const event: FleetEvent = { type: 'fleet', isShared };
    tellFleet(event, this.options.observe);
  }

  private snapshot(): FleetSnapshot {
    const isShared = this.courier?.isShared ?? false;
    const problem = isShared ? undefined : this.traits.problem();
    return { isShared, unreadable: this.traits.unreadable(), ...(problem !== undefined && { problem }) };
  }
}
