/** Retry for undici: `new Agent().compose(retry())`. */

import type { Dispatcher } from 'undici';
import type { OverrideOptions, PolicyOptions } from '../../core/policy/options.js';
import type { PolicyLike } from '../../core/policy/policy.js';
import { errorOfOpening, overrideFrom } from '../../drivers/override.js';
import type { LiveSession } from '../../kernel/live-session.js';
import type { OwnRetrier, RetrierLike } from '../../kernel/retrier.js';
import { layers, retrierFor } from '../../parts/all.js';
import { bodyOf } from './body.js';
import { RequestContext } from './context.js';
import { bodyIn, repeatable, reshaped, withMore } from './dispatch-options.js';
import { errorFrom } from './errors.js';
import { UndiciExchange } from './exchange.js';
import { handlerFor } from './generations.js';
import type { Dispatch, DispatchOptions, Handler } from './handlers.js';

declare module 'undici' {
  namespace Dispatcher {
    interface DispatchOptions {
      /** Settings for this request alone; they override those of the rule that it matches. */
      retry?: OverrideOptions | false;
    }
  }
}

/**
 * Makes an interceptor that retries requests: `new Agent().compose(retry({ maxRetries: 3 }))`. It takes options, a
 * policy or a retrier. If several are composed, only the outermost one retries.
 */
export function retry(
  policy?: PolicyOptions | PolicyLike | RetrierLike,
): Dispatcher.DispatcherComposeInterceptor {
  checkUse(policy);
  const retrier = retrierFor(policy);
  layers.of.countLayer('dispatchers');
  return interceptor(retrier) as Dispatcher.DispatcherComposeInterceptor;
}

/**
 * `compose(retry)`, without the call, passes the next dispatch function as the policy. A dispatcher is an object, but
 * not a policy.
 */
function checkUse(given: unknown): void {
  if (typeof given === 'function') {
    throw new TypeError('undaunted: call retry: write compose(retry()), not compose(retry)');
  }
  if (typeof (given as { dispatch?: unknown } | null | undefined)?.dispatch === 'function') {
    throw new TypeError(
      'undaunted: retry() takes a policy, not a dispatcher: write agent.compose(retry(policy))',
    );
  }
}

/** Where undici does not give the origin, as under a Client, each dispatch function has its own scope. */
let unknownOrigins = 0;

function interceptor(retrier: OwnRetrier): (dispatch: Dispatch) => Dispatch {
  return (dispatch) => {
    unknownOrigins += 1;
    const unknownOrigin = `unknown origin ${unknownOrigins}`;
    // undici rejects a dispatch function that does not take exactly two arguments.
    return (given, callersHandler) => {
      const handler = handlerFor(callersHandler);
      // Without a handler or options, undici itself reports what is wrong.
      if (handler === undefined || typeof given !== 'object' || given === null) {
        return dispatch(given, callersHandler);
      }
      const options = repeatable(handler === callersHandler ? given : reshaped(given));
      const exchange = open(retrier, dispatch, options, handler, unknownOrigin);
      if (exchange === undefined) return true;
      const goesOn = exchange.start();
      if (!exchange.context.isClaimed || exchange.isOver) return goesOn;
      // A retry() further out does the retrying; this one only passes the request on.
      exchange.session.abandon();
      return dispatch(options, callersHandler);
    };
  };
}

/** An invalid policy or override becomes the request's error, as an invalid option does in undici. */
function open(
  retrier: OwnRetrier,
  dispatch: Dispatch,
  options: DispatchOptions,
  handler: Handler,
  unknownOrigin: string,
): UndiciExchange | undefined {
  let session: LiveSession | undefined;
  try {
    const context = new RequestContext(options);
    session = retrier.open(context, overrideOf(options), unknownOrigin, undefined, true);
    context.belongsTo(session);
    const { settings } = session;
    const { idempotencyKey } = settings;
    const key = idempotencyKey === false ? undefined : context.keyFrom(idempotencyKey);
    const exchange = new UndiciExchange(dispatch, handler, session, bodyOf(bodyIn(options), settings));
    if (key !== undefined) exchange.options = withMore(options, key);
    return exchange;
  } catch (thrown) {
    const error = errorFrom(errorOfOpening(thrown, 'options.retry'));
    session?.abandon(error);
    handler.onResponseError?.(null, error);
    return undefined;
  }
}

/** An upgrade or a tunnel is repeated only if the request was never sent, and never sent twice at the same time. */
const unsentOnly: OverrideOptions = Object.freeze({
  methods: [],
  idempotent: false,
  unsafeMethods: 'unsent',
  hedge: false,
});

function overrideOf({ method, upgrade, retry: given }: DispatchOptions): OverrideOptions | undefined {
  const override = overrideFrom(given as OverrideOptions | false | undefined);
  const isTunnel = method === 'CONNECT' || (upgrade !== undefined && upgrade !== null && upgrade !== false);
  if (!isTunnel) return override;
  if (override === undefined) return unsentOnly;
  // The policy check rejects an override that is not an object.
  return typeof override === 'object' && override !== null ? { ...override, ...unsentOnly } : override;
}
