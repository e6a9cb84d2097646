/** Scopes that processes share, behind any store: for our own tools. A store that users have is an entry of its own. */

export type { FleetOptions } from './fleet.js';
export { fleetOver } from './fleet.js';
export type { Network, Surroundings } from './memory/store.js';
export { MemoryLink, MemoryStore } from './memory/store.js';
export type { Store } from './port.js';
