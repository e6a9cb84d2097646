/**
 * Where the copies of this package in a process find each other, each thing under a symbol of its own. If the global
 * object takes no new properties, as in a locked realm, each copy is by itself.
 */
export const shared: object = Object.isExtensible(globalThis) ? globalThis : {};
