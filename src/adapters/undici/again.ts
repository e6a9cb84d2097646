/** Prepares the next attempt once the session has decided to retry. */

import type { RetryContext } from '../../core/events.js';
import type { Retry } from '../../core/types.js';
import { contextFor } from '../../drivers/hooks.js';
import { attemptHeaderOf } from '../../kernel/attempt-header.js';
import type { Session } from '../../kernel/session.js';
import { asChanged, goesTo, targetOf } from './dispatch-options.js';
import type { Download } from './download.js';
import type { DispatchOptions } from './handlers.js';
import type { MoreHeaders } from './outgoing.js';

/** The exchange whose next attempt it is. */
interface Retried {
  readonly session: Session;
  /** What the next attempt is sent with. */
  options: DispatchOptions;
  /** Asks a function of the caller's, and goes on with its answer. */
  ask<Answer>(question: () => Answer | PromiseLike<Answer>, next: (answer: Answer) => void): void;
}

/** Runs after the wait, so that a token that `beforeRetry` fetches is fresh. */
export function prepareNext(
  exchange: Retried,
  decision: Retry,
  download: Download | undefined,
  then: (more: MoreHeaders) => void,
): void {
  const { session } = exchange;
  const { beforeRetry, attemptHeader } = session.settings;
  const goOn = (): void =>
    then({ ...attemptHeaderOf(attemptHeader, session.attempt - 1), ...download?.requestHeaders });
  if (beforeRetry === undefined) {
    goOn();
    return;
  }
  const follow = (hook: RetryContext): void => {
    const changed = asChanged(exchange.options, hook);
    // A resource at another URL is another representation, even if its ETag is the same.
    if (download !== undefined && !goesTo(changed, exchange.options)) throw download.error;
    exchange.options = changed;
    session.movesTo(hook.url);
  };
  exchange.ask(
    () => contextFor(session, decision, targetOf(exchange.options)),
    (hook) =>
      exchange.ask(
        () => beforeRetry(hook),
        () => exchange.ask(() => follow(hook), goOn),
      ),
  );
}
