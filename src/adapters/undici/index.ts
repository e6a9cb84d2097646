/** Retry for undici: `new Agent().compose(retry())`. */

import type { Dispatcher } from 'undici';
import type { OverrideOptions, PolicyOptions } from '../../core/options.js';
import type { Policy } from '../../core/policy.js';
import type { Retrier } from '../../runtime/retrier.js';
import { retrierFor } from '../../runtime/retrier.js';
import type { Session } from '../../runtime/session.js';
import { bodyOf } from './body.js';
import { Exchange } from './exchange.js';
import type { Dispatch, DispatchOptions } from './handlers.js';
import { handlerFor } from './handlers.js';
import { Facts, isHandled, withMore } from './outgoing.js';

declare module 'undici' {
  namespace Dispatcher {
    interface DispatchOptions {
      /** What this one request says for itself; lies over the rule that it matches. */
      retry?: OverrideOptions | false;
    }
  }
}

/** An interceptor for `dispatcher.compose()`. Of several in one chain, the outermost acts. */
export function retry(given?: PolicyOptions | Policy | Retrier): Dispatcher.DispatcherComposeInterceptor {
  const retrier = retrierFor(given);
  return interceptor(retrier) as unknown as Dispatcher.DispatcherComposeInterceptor;
}

/** Where undici does not tell the origin, as under a Client, each dispatch function has a scope of its own. */
let unknownOrigins = 0;

function interceptor(retrier: Retrier): (dispatch: Dispatch) => Dispatch {
  return (dispatch) => {
    unknownOrigins += 1;
    const unknownOrigin = `unknown origin ${unknownOrigins}`;
    // undici refuses a function that does not take exactly two arguments.
    return (options, given) => {
      const handler = handlerFor(given);
      // Without a handler there is nobody to tell what is wrong but undici.
      if (handler === undefined || isHandled(options)) return dispatch(options, given);
      const facts = new Facts(options);
      let session: Session;
      try {
        session = retrier.open(facts, overrideOf(options), unknownOrigin);
      } catch (error) {
        handler.onResponseError?.(null, error);
        return true;
      }
      const { settings } = session;
      const body = bodyOf(options.body, settings.bufferBodyBytes);
      const key = facts.keyFrom(settings.idempotencyKey);
      const outgoing = key === undefined ? options : withMore(options, key);
      return new Exchange(dispatch, outgoing, handler, session, body, retrier.ports).start();
    };
  };
}

const off: OverrideOptions = Object.freeze({ retry: false });

/** A connection that turns into something else is repeated only if it never left. */
const unsentOnly: OverrideOptions = Object.freeze({
  methods: [],
  idempotent: false,
  unsafeMethods: 'unsent',
});

function overrideOf({ method, upgrade, retry: given }: DispatchOptions): OverrideOptions | undefined {
  const override = given === false ? off : (given as OverrideOptions | undefined);
  const isTunnel = method === 'CONNECT' || (upgrade !== undefined && upgrade !== null && upgrade !== false);
  if (!isTunnel) return override;
  return override === undefined ? unsentOnly : { ...override, ...unsentOnly };
}
