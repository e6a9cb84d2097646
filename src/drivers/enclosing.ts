/** An attempt over other layers of undaunted, which it may send through. */

import type { RequestFacts } from '../core/types.js';
import { EnclosingAttempt, enclosed, mayMeet, mayMeetBeneathFetch } from '../kernel/layers.js';
import type { OwnRetrier } from '../kernel/retrier.js';
import { kindOf } from './platform-fetch.js';

interface Configured {
  readonly adapter?: unknown;
}

type Adapter<Config, Answer> = (config: Config) => Promise<Answer>;

/** The request whose attempt is sent. */
interface EnclosedExchange<Config, Answer> extends RequestFacts {
  readonly adapter: Adapter<Config, Answer>;
  readonly installation: {
    readonly child: { sendBy(adapters: unknown, config: Config): Promise<Answer> };
  };
  /** Tells the address of the attempt that is sent now, also once the next one goes elsewhere. */
  addressNow(): () => string;
}

/** Sends an attempt within which the layers beneath send the same request only once. */
export function sendEnclosed<Config extends Configured, Answer>(
  exchange: EnclosedExchange<Config, Answer>,
  config: Config,
): Promise<Answer> {
  const { adapter, installation } = exchange;
  const chosen = enclosing(config.adapter, (beneath) => {
    const attempt = new EnclosingAttempt(exchange, exchange.addressNow(), installation);
    return enclosed(attempt, beneath, adapter, config);
  });
  if (chosen === config.adapter) return adapter(config);
  return typeof chosen === 'function'
    ? (chosen as Adapter<Config, Answer>)(config)
    : installation.child.sendBy(chosen, config);
}

/** What axios chooses from if the configuration names no adapter. */
const byDefault = ['xhr', 'http', 'fetch'];

/**
 * The adapters for axios to choose from, so that it chooses what it would choose: only axios knows what its build and
 * this platform have. Whatever may send through other layers of ours is replaced by `enclose`. They are returned as they
 * are if no other layer can be underneath.
 */
function enclosing(given: unknown, enclose: (beneath: 'fetch' | 'anything') => Promise<unknown>): unknown {
  const adapters: readonly unknown[] = Array.isArray(given) ? given : given ? [given] : byDefault;
  const beneath = adapters.some((one) => typeof one === 'function') ? 'anything' : 'fetch';
  if (!mayMeet(beneath)) return given;
  const uncertain = adapters.findIndex((one) => !goesByHttp(one));
  if (uncertain === -1) return given;
  const enclosing = (): Promise<unknown> => enclose(beneath);
  return uncertain === 0 ? enclosing : [...adapters.slice(0, uncertain), enclosing];
}

/** Or is passed over: axios does not take `false` and `null` from a list, nor what the platform does not have. */
function goesByHttp(adapter: unknown): boolean {
  if (typeof adapter === 'function') return false;
  if (!adapter) return true;
  const name = String(adapter).toLowerCase();
  return name === 'http' || (name === 'xhr' && typeof XMLHttpRequest === 'undefined');
}

// ---------------------------------------------------------------- by fetch

interface EnclosedCall<Init, Answer> extends RequestFacts {
  readonly installation: { readonly retrier: OwnRetrier };
  addressNow(): () => string;
  call(init: Init): Promise<Answer>;
}

/** Whether there is another layer that this fetch could reach. */
export function mayMeetBeneath(fetch: (...given: never[]) => unknown): boolean {
  return mayMeetBeneathFetch(() => kindOf(fetch) !== undefined);
}

/** Calls fetch, which sends the request only once, whatever layers are beneath. */
export function callEnclosed<Init, Answer>(
  exchange: EnclosedCall<Init, Answer>,
  init: Init,
): Promise<Answer> {
  const attempt = new EnclosingAttempt(exchange, exchange.addressNow(), exchange.installation.retrier);
  return enclosed(attempt, 'anything', (asked) => exchange.call(asked), init);
}
