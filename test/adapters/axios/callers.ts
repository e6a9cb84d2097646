/** The ways in which axios's callers cancel, and the listeners that are left. */

import { getEventListeners } from 'node:events';
import type { AxiosRequestConfig, AxiosStatic, CancelToken, GenericAbortSignal } from 'axios';
import { expect } from 'vitest';
import { minor } from './client.js';

export interface Caller {
  readonly config: Pick<AxiosRequestConfig, 'signal' | 'cancelToken'>;
  giveUp(): void;
  /** The number of listeners that are left. */
  listeners(): number;
  readonly isByToken: boolean;
}

export type MakeCaller = (axios: AxiosStatic) => Caller;

export function bySignal(reason?: unknown): Caller {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    config: { signal },
    giveUp: () => controller.abort(reason),
    listeners: () => getEventListeners(signal, 'abort').length,
    isByToken: false,
  };
}

export function byToken(axios: AxiosStatic, message?: string): Caller {
  const { token, cancel } = axios.CancelToken.source();
  return {
    config: { cancelToken: token },
    giveUp: () => cancel(message),
    listeners: () => subscribersOf(token),
    isByToken: true,
  };
}

function subscribersOf(token: CancelToken): number {
  const { _listeners } = token as { _listeners?: readonly unknown[] | null };
  return _listeners?.length ?? 0;
}

/** A caller with both cancels by the first one. */
function byOneOf(acting: Caller, other: Caller): Caller {
  return {
    config: { ...acting.config, ...other.config },
    giveUp: acting.giveUp,
    listeners: () => acting.listeners() + other.listeners(),
    isByToken: acting.isByToken,
  };
}

/** The parts of a signal that axios's types ask for. */
class Polyfill implements GenericAbortSignal {
  aborted = false;
  readonly listeners: Set<() => void> = new Set();

  readonly addEventListener = (_type: string, listener: () => void): void => {
    this.listeners.add(listener);
  };

  readonly removeEventListener = (_type: string, listener: () => void): void => {
    this.listeners.delete(listener);
  };

  abort(): void {
    this.aborted = true;
    for (const listener of [...this.listeners]) listener.call(this);
    // Listeners with `once` are not told apart.
    this.listeners.clear();
  }
}

function byPolyfill(): Caller {
  const signal = new Polyfill();
  return {
    config: { signal: signal as unknown as GenericAbortSignal },
    giveUp: () => signal.abort(),
    listeners: () => signal.listeners.size,
    isByToken: false,
  };
}

export const plainCallers: readonly [string, MakeCaller][] = [
  ['AbortSignal', () => bySignal()],
  ['CancelToken', (axios) => byToken(axios)],
];

export const rareCallers: readonly [string, MakeCaller][] = [
  ['AbortSignal with a reason', () => bySignal(new Error('the user left'))],
  ['AbortSignal with a reason that is not an error', () => bySignal('left')],
  ['CancelToken with a message', (axios) => byToken(axios, 'the user left')],
  ['AbortSignal beside a CancelToken', (axios) => byOneOf(bySignal(), byToken(axios))],
  ['CancelToken beside an AbortSignal', (axios) => byOneOf(byToken(axios), bySignal())],
  ['polyfill', byPolyfill],
];

/**
 * This build's own error, and this one's alone. Before 1.16, axios wraps those of its adapter `fetch` in a mere
 * object, and does so without us.
 */
export function expectCanceled(error: unknown, axios: AxiosStatic, isOfFetch = false): void {
  expect(axios.isCancel(error)).toBe(true);
  if (!isOfFetch || minor >= 16) expect(error).toBeInstanceOf(axios.CanceledError);
  expect(error).toMatchObject({ name: 'CanceledError', code: 'ERR_CANCELED' });
}
