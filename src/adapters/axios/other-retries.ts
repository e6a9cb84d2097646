/** Other libraries that retry on the same instance: their retries multiply with ours, or their options are ignored. */

import { warn } from '../../kernel/warning.js';
import type { Installation } from './exchange.js';
import type { RequestConfig } from './shapes.js';

/** Installations that have warned already, by library. */
const warned: readonly [WeakSet<Installation>, WeakSet<Installation>] = [new WeakSet(), new WeakSet()];

/** On the path of every request. */
export function noticeOthers(installation: Installation, config: RequestConfig): void {
  if (config['axios-retry']) noticeAxiosRetry(installation, config['axios-retry']);
  if (config.raxConfig) noticeRetryAxios(installation, config.raxConfig);
}

/** axios-retry itself notes the time of each request there. */
function noticeAxiosRetry(
  installation: Installation,
  options: NonNullable<RequestConfig['axios-retry']>,
): void {
  const isAttached = options.lastRequestTime !== undefined;
  if (isAttached && options.retries === 0) return;
  warnOf(
    installation,
    0,
    isAttached
      ? 'axios-retry is attached to this instance, too, and its retries multiply with ours; remove it, or set its retries to 0'
      : "config['axios-retry'] is ignored, since axios-retry is not attached; write config.retry instead, such as { maxRetries: 0 }",
  );
}

/** retry-axios notes the number of its retries there; before its first one, nothing tells whether it is attached. */
function noticeRetryAxios(
  installation: Installation,
  options: NonNullable<RequestConfig['raxConfig']>,
): void {
  const attempt = options.currentRetryAttempt;
  warnOf(
    installation,
    1,
    typeof attempt === 'number' && attempt > 0
      ? 'retry-axios is attached to this instance, too, and its retries multiply with ours; detach it'
      : 'config.raxConfig is ignored here; write config.retry instead, and detach retry-axios, whose retries multiply with ours',
  );
}

function warnOf(installation: Installation, library: 0 | 1, text: string): void {
  if (warned[library].has(installation)) return;
  warned[library].add(installation);
  warn(new Error(`undaunted: ${text}`));
}
