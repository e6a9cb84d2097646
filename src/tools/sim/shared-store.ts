/** A store that processes share in a run, behind a network that is as bad as it is told to be. */

import type { Network } from '../../fleet/index.js';
import { fleetOver, MemoryStore } from '../../fleet/index.js';
import type { Sleep } from '../../index.js';
import type { Agenda } from './agenda.js';
import type { Dice } from './dice.js';
import type { Circumstances } from './strategies.js';

export interface SharedStore extends Network {
  /** The first so many processes do not reach it at all. */
  readonly cutOff?: number;
  /** It hangs for a while, as if it were stopped. */
  readonly stopped?: { readonly fromMs: number; readonly forMs: number };
  /** Told what became of it, at the end. */
  readonly watch?: (store: Pick<MemoryStore, 'exchanges'>) => void;
}

/** Times in a store are as in Redis: some day. */
const epochMs = 1_773_144_000_000;

/** For each process, by its number from 1. */
export function storeIn(
  agenda: Agenda,
  { cutOff = 0, stopped, watch, ...network }: SharedStore,
  dice: Dice,
): (process: number) => NonNullable<Circumstances['fleet']> {
  const later = (delayMs: number, happen: () => void): void => {
    agenda.at(agenda.now + delayMs, () => happen(), 0, 0);
  };
  const store = new MemoryStore({ now: () => epochMs + agenda.now, later, random: dice }, network);
  watch?.(store);
  if (stopped !== undefined) {
    later(stopped.fromMs, () => (store.isStopped = true));
    later(stopped.fromMs + stopped.forMs, () => (store.isStopped = false));
  }
  const sleep: Sleep = (delayMs, wake) => {
    let isOff = false;
    later(delayMs, () => {
      if (!isOff) wake();
    });
    return () => {
      isOff = true;
    };
  };
  return (process) => {
    const link = store.link();
    link.isCut = process <= cutOff;
    return { joined: fleetOver(link, { process: String(process) }), sleep };
  };
}
