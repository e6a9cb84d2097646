/** How callers of undici abort. */

import { EventEmitter, getEventListeners } from 'node:events';
import { expect } from 'vitest';
import type { Caller } from '../suites/callers.js';
import type { Asked } from '../suites/subject.js';
import { undici } from './client.js';

/** Reasons that are falsy. */
export const oddReasons: readonly unknown[] = [0, '', false, null, Number.NaN, 0n];

/** Without a truthy reason, undici uses an error of its own. */
function expectAborted(error: unknown): void {
  expect(error).toMatchObject({ name: 'AbortError', code: 'UND_ERR_ABORTED', message: 'Request aborted' });
}

export function bySignal(signal: AbortSignal): Pick<Caller, 'asked' | 'expectError'> {
  const expectError = (error: unknown): void =>
    signal.reason ? expect(error).toBe(signal.reason) : expectAborted(error);
  return { asked: { signal }, expectError };
}

function withReason(...reason: readonly unknown[]): Caller {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    ...bySignal(signal),
    giveUp: () => controller.abort(...reason),
    listeners: () => getEventListeners(signal, 'abort').length,
  };
}

function withEmitter(): Caller {
  const signal = new EventEmitter();
  return {
    asked: { signal } as unknown as Asked,
    giveUp: () => signal.emit('abort'),
    listeners: () => signal.listenerCount('abort'),
    expectError: (error) => {
      // Older undici (6.17, 7.0) recognises its own errors only by their prototype, which we cannot use.
      if (Object.hasOwn(undici.errors.RequestAbortedError, Symbol.hasInstance)) {
        expect(error).toBeInstanceOf(undici.errors.RequestAbortedError);
      }
      expectAborted(error);
    },
  };
}

type Named = readonly [string, () => Caller];

export const plainCallers: readonly [Named, ...Named[]] = [
  ['AbortSignal', () => withReason()],
  ['EventEmitter', withEmitter],
];

export const withReasons: readonly Named[] = [
  ['AbortSignal with a reason', () => withReason(new Error('the user left'))],
];

export const oddCallers: readonly Named[] = oddReasons.map((reason) => [
  `AbortSignal with the reason ${typeof reason === 'string' ? "''" : String(reason)}`,
  () => withReason(reason),
]);
