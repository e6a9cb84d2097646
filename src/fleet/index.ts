/** Shared scopes over any store, for our own tools. Each store for users is an entry point of its own. */

export type { FleetOptions } from './fleet.js';
export { fleetOver } from './fleet.js';
export type { Network, Surroundings } from './memory/store.js';
export { MemoryLink, MemoryStore } from './memory/store.js';
export type { Store } from './port.js';
