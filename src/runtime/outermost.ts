import { remember } from './history.js';
import { mayMeet } from './layers.js';
import type { Session } from './session.js';

/** If several layers hand over the same response or error, its history is the outermost layer's. */
export function rememberOutermost(result: unknown, session: Session): void {
  if (!mayMeet('anything') || session.isSuppressed !== true) remember(result, session);
}
