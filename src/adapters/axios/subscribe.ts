/** Listens to a CancelToken of axios. */

import type { Cancel } from '../../kernel/sleep.js';
import type { CancelTokenShape } from './shapes.js';

/**
 * A token that is cancelled calls its listeners by index, from the last to the first. If one of them leads to another
 * being taken off the list, the index points past its end: the token throws, and never tells the remaining requests. So
 * nothing is taken off a cancelled token. It drops the whole list itself when all have been told.
 */
export function subscribe(token: CancelTokenShape, listener: (reason: unknown) => void): Cancel {
  let isOver = false;
  const listen = (reason: unknown): void => {
    if (!isOver) listener(reason);
  };
  token.subscribe(listen);
  return () => {
    isOver = true;
    if (!token.reason) token.unsubscribe(listen);
  };
}
