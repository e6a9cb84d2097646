/** Keeps an attempt that was given up from being sent. */

import type { Controller } from './handlers.js';
import { OldController } from './old-controller.js';

/**
 * To be called in onRequestStart. undici destroys the connection if a request is aborted here, and does not if its
 * handler throws; nothing is sent either way.
 */
export function refuse(controller: Controller): void {
  const error = new Error('undaunted: this attempt was given up before it was sent');
  if (isOfUndici(controller)) throw error;
  controller.abort(error);
}

/**
 * Whatever else calls handlers (a MockAgent, a cache, an interceptor of the user's) may do so much later than the
 * dispatch, where nothing would catch the error. Their controllers are plain objects.
 */
function isOfUndici(controller: Controller): boolean {
  if (controller instanceof OldController) return controller.isOfUndici;
  const prototype: unknown = Object.getPrototypeOf(controller);
  // Of any realm: Object.prototype is the one that has no prototype itself.
  return Object.getPrototypeOf(prototype) !== null;
}
