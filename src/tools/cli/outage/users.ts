/** Many real clients: each thinks, sends a request, waits for the result, and thinks again. */

import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import type { DecisionEvent, RequestEvent } from '../../../index.js';
import { DeadlineError, GateShutError } from '../../../index.js';
import { pause, sleep } from '../../../internal.js';
import { exponential } from '../../sim/internal.js';
import { Failure } from '../failure.js';
import type { Undici } from '../undici.js';
import type { Counts } from './counts.js';
import type { Strategy } from './strategies.js';
import { policyOf } from './strategies.js';

interface UsersOptions {
  readonly url: string;
  readonly clients: number;
  /** Mean; exponentially distributed. */
  readonly thinkMs: number;
  readonly timeoutMs: number;
  readonly strategy: Strategy;
}

export class Users {
  private readonly options: UsersOptions;
  private readonly undici: Undici;
  private readonly counts: Counts;
  private readonly failing: AbortController = new AbortController();

  constructor(options: UsersOptions, undici: Undici, counts: Counts) {
    this.options = options;
    this.undici = undici;
    this.counts = counts;
  }

  /** Until the signal aborts. */
  async live(signal: AbortSignal): Promise<void> {
    const { clients, strategy, timeoutMs } = this.options;
    const over = AbortSignal.any([signal, this.failing.signal]);
    // Every request adds a listener to it.
    setMaxListeners(0, over);
    const { retry } = await import('../../../adapters/undici/index.js');
    const policy = policyOf(strategy, timeoutMs, this.observe);
    const dispatcher = new this.undici.Agent().compose(this.connectingAnew(), retry(policy));
    try {
      await Promise.all(Array.from({ length: clients }, () => this.liveOne(dispatcher, over)));
    } catch (error) {
      if (!over.aborted) throw error;
    }
    this.failing.signal.throwIfAborted();
  }

  private async liveOne(dispatcher: Dispatcher, over: AbortSignal): Promise<void> {
    for (;;) {
      const thoughtMs = exponential(Math.random(), this.options.thinkMs);
      await pause(sleep, thoughtMs, over);
      await this.ask(dispatcher, thoughtMs, over);
    }
  }

  private async ask(dispatcher: Dispatcher, thoughtMs: number, signal: AbortSignal): Promise<void> {
    const { counts } = this;
    const { url, strategy } = this.options;
    const override = strategy.override?.(thoughtMs);
    try {
      const { statusCode, body } = await this.undici.request(url, {
        dispatcher,
        signal,
        ...(override === undefined ? {} : { retry: override }),
      });
      await body.dump();
      if (statusCode < 400) counts.add('good');
    } catch (error) {
      if (signal.aborted) throw error;
      // Other failures were counted when they were decided on.
      if (error instanceof GateShutError) counts.add('refused');
      if (error instanceof DeadlineError) counts.add('timedOut');
    }
  }

  /**
   * Each attempt opens its own connection, as in the original. In a pool, attempts would wait for half-open connections of
   * earlier ones, and fewer would reach a server that does not answer.
   */
  private connectingAnew(): Dispatcher.DispatcherComposeInterceptor {
    const { timeoutMs, url } = this.options;
    const { origin } = new URL(url);
    return () => (request, handler) => {
      this.counts.add('attempts');
      const client = new this.undici.Client(origin, { pipelining: 0, connect: { timeout: timeoutMs } });
      const goesOn = client.dispatch(request, handler);
      // Closes as soon as this request is over.
      client.close().catch(() => {});
      return goesOn;
    };
  }

  private readonly observe = (event: RequestEvent): void => {
    this.counts.observe(event);
    if (event.type === 'decision' && isOutOfFiles(event)) {
      this.failing.abort(new Failure('too many open files. Raise the limit first: ulimit -n 10000'));
    }
  };
}

function isOutOfFiles({ decision: { finding } }: DecisionEvent): boolean {
  return finding.kind === 'error' && (finding.code === 'EMFILE' || finding.code === 'ENFILE');
}
