/** A layer that sends another request than the one that it was given. */

import type { Dispatcher } from 'undici';
import { headOf, words } from './fuzz-witness.js';

type Interceptor = Dispatcher.DispatcherComposeInterceptor;

/** Asks for a token after a 401, and passes on what becomes of that; perhaps not that another request was started. */
export function asksForToken({ hidesStart }: { readonly hidesStart: boolean }): Interceptor {
  return (dispatch) => (options, handler) => {
    let place: URL | undefined;
    const ask = ({ origin, pathname, search }: URL): void => {
      const method = options.method === 'HEAD' ? 'HEAD' : 'GET';
      const path = pathname + search;
      const asked = {
        ...options,
        origin,
        path,
        query: {},
        method,
        body: null,
        headers: {},
        expectContinue: false,
      } as const;
      dispatch(asked, hidesStart ? without(handler, 'start') : handler);
    };
    const heard = (word: string | undefined, given: readonly unknown[], pass: () => unknown): unknown => {
      if (word === 'head') {
        const { status, header } = headOf(given);
        const location = header('location');
        if (status === 401 && location !== undefined) place = new URL(location, String(options.origin));
      }
      if (place === undefined || word === 'error') return pass();
      if (word === 'end') ask(place);
      return true;
    };
    return dispatch(options, listening(handler, heard));
  };
}

function without<T extends object>(handler: T, left: string): T {
  return listening(handler, (word, _given, pass) => (word === left ? undefined : pass()));
}

function listening<T extends object>(
  handler: T,
  hear: (word: string | undefined, given: readonly unknown[], pass: () => unknown) => unknown,
): T {
  return new Proxy(handler, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => hear(words[String(key)], given, () => value.apply(target, given));
    },
  });
}
