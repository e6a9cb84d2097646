import type { Cancel } from './sleep.js';

const unread: FinalizationRegistry<Cancel> = new FinalizationRegistry((done) => done());

/** Of a body that may not be touched, all that is known of its end is that the garbage collector takes it. */
export function whenCollected(body: object, done: Cancel): void {
  unread.register(body, done);
}
