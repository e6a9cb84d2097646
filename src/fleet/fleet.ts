/** A fleet over a store: the members of this process, and the voice that speaks to the store for all of them. */

import type { FleetEvent } from '../core/events.js';
import { tellFleet } from '../kernel/events.js';
import type { FleetHome, FleetMember, FleetSnapshot, OpenFleet } from '../kernel/fleet.js';
import { Member } from './member.js';
import type { Store } from './port.js';
import { Voice } from './voice.js';

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
  private voice: Voice | undefined = undefined;
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
    // All retriers of a process share one voice, which uses the clock of the first.
    this.voice ??= this.voiceFor(home);
    return new Member(home, this.voice, this.traits.keyFor, () => this.snapshot());
  }

  private voiceFor(home: FleetHome): Voice {
    const isClosed = this.closed !== undefined;
    const store = isClosed ? noStore : this.store;
    const voice = new Voice(store, home.ports, this.processName(home), (isShared) => this.tell(isShared));
    if (isClosed) voice.close(() => undefined);
    return voice;
  }

  close(): Promise<void> {
    this.closed ??= new Promise((done) => {
      if (this.voice === undefined) done();
      else this.voice.close(done);
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
    const isShared = this.voice?.isShared ?? false;
    const problem = isShared ? undefined : this.traits.problem();
    return { isShared, unreadable: this.traits.unreadable(), ...(problem !== undefined && { problem }) };
  }
}
