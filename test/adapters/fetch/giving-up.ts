/** How callers of fetch abort. */

import { getEventListeners } from 'node:events';
import { expect } from 'vitest';
import type { Caller } from '../suites/callers.js';

export function bySignal(signal: AbortSignal): Pick<Caller, 'asked' | 'expectError'> {
  return { asked: { signal }, expectError: (error) => expect(error).toBe(signal.reason) };
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

type Named = readonly [string, () => Caller];

export const plainCallers: readonly Named[] = [['AbortSignal', () => withReason()]];

export const rareCallers: readonly Named[] = [
  ['AbortSignal with a reason', () => withReason(new Error('the user left'))],
  ['AbortSignal with a reason that is not an error', () => withReason('left')],
];
