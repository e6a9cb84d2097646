import { remember } from './history.js';
import { mayMeet } from './layers.js';
import type { Session } from './session.js';

/** The history of what several layers hand over is that of the outermost. */
export function rememberOutermost(result: unknown, session: Session): void {
  if (!mayMeet('anything') || session.isSuppressed !== true) remember(result, session);
}
