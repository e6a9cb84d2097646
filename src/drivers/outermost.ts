import { remember } from '../kernel/history.js';
import type { Session } from '../kernel/session.js';

/** If several layers hand over the same response or error, its history is the outermost layer's. */
export function rememberOutermost(result: unknown, session: Session): void {
  if (!session.isEnclosed) remember(result, session);
}
