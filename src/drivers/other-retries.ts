/**
 * What works against us beside us: other libraries that retry the same requests, whose retries multiply with ours or whose
 * options are ignored, interceptors that leave nothing to retry, and options that take the place of ours.
 */

import { warn, warnOnce } from '../kernel/warning.js';

// ---------------------------------------------------------------- on an instance of axios

/** What these libraries put into a configuration of axios. */
interface Config {
  readonly 'axios-retry'?: { readonly retries?: unknown; readonly lastRequestTime?: unknown } | null;
  readonly raxConfig?: { readonly currentRetryAttempt?: unknown } | null;
}

/** Installations that have warned already. */
const ofAxiosRetry: WeakSet<object> = new WeakSet();
const ofRetryAxios: WeakSet<object> = new WeakSet();
const ofReplaced: WeakSet<object> = new WeakSet();

/** On the path of every request. */
export function noticeOthers(installation: object, config: Config): void {
  if (config['axios-retry']) noticeAxiosRetry(installation, config['axios-retry']);
  if (config.raxConfig) noticeRetryAxios(installation, config.raxConfig);
}

/** axios-retry itself notes the time of each request there. */
function noticeAxiosRetry(installation: object, options: NonNullable<Config['axios-retry']>): void {
  const isAttached = options.lastRequestTime !== undefined;
  if (isAttached && options.retries === 0) return;
  warnOf(
    installation,
    ofAxiosRetry,
    isAttached
      ? 'axios-retry is attached to this instance, too, and its retries multiply with ours; remove it, or set its retries to 0'
      : "config['axios-retry'] is ignored, since axios-retry is not attached; write config.retry instead, such as { maxRetries: 0 }",
  );
}

/** retry-axios notes the number of its retries there; before its first one, nothing tells whether it is attached. */
function noticeRetryAxios(installation: object, options: NonNullable<Config['raxConfig']>): void {
  const attempt = options.currentRetryAttempt;
  warnOf(
    installation,
    ofRetryAxios,
    typeof attempt === 'number' && attempt > 0
      ? 'retry-axios is attached to this instance, too, and its retries multiply with ours; detach it'
      : 'config.raxConfig is ignored here; write config.retry instead, and detach retry-axios, whose retries multiply with ours',
  );
}

/** The function stands in place of our adapter. */
export function noticeReplaced(installation: object): void {
  warnOf(
    installation,
    ofReplaced,
    'an interceptor that runs after attachRetry() set config.adapter to a function, so its requests are not retried; unless it is a cache, register it before you call attachRetry()',
  );
}

function warnOf(installation: object, warned: WeakSet<object>, text: string): void {
  if (warned.has(installation)) return;
  warned.add(installation);
  warn(new Error(`undaunted: ${text}`));
}

/** axios writes `auth` over any `authorization`, so new credentials would never be sent. */
export function noticeAuth(auth: unknown, credentials: object): void {
  if (!auth || !Object.keys(credentials).some((name) => name.toLowerCase() === 'authorization')) return;
  warnOnce(
    'config.auth takes the place of the authorization that credentials.headers returns, so what is renewed is never sent; remove one of them, or set credentials: false for these requests',
  );
}

// ---------------------------------------------------------------- beneath fetch

/** As far as they can be recognised. */
export function noticeRetryAgent(dispatcher: unknown): void {
  const { constructor: type } = Object(dispatcher) as { readonly constructor?: { name?: unknown } };
  if (type?.name !== 'RetryAgent') return;
  warnOnce(
    "the dispatcher of this fetch is undici's RetryAgent, whose retries multiply with those of withRetry(); use an Agent instead",
  );
}
