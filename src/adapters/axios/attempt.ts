/** One sending of a request that has limits of time: it ends when the adapter says so, or when its time is up. */

import type { Cancel, Sleep } from '../../runtime/sleep.js';
import { dispose, isStream, isWebStream } from '../../runtime/stream-like.js';
import { answerOf } from './outcome.js';
import type { RequestConfig, ResponseShape, SignalShape } from './shapes.js';

export interface Limit {
  readonly ms: number;
  /** What the request fails with. */
  readonly error: () => Error;
  /** Ends what is left of the attempt, such as a body that is being read. */
  abort?: (reason: unknown) => void;
}

/**
 * For the time of the attempt, the configuration's signal is one of ours, which also follows the caller's. What
 * comes after the time is up is `late`.
 */
export function sendWithin(
  limit: Limit | undefined,
  config: RequestConfig,
  send: () => Promise<ResponseShape>,
  sleep: Sleep,
  late: (response: ResponseShape) => void,
): Promise<ResponseShape> {
  if (limit === undefined) return send();
  const { signal: callers } = config;
  return new Promise((resolve, reject) => {
    const ours = new AbortController();
    limit.abort = (reason) => ours.abort(reason);
    let isOver = false;
    const end = (): void => {
      isOver = true;
      cancel();
      if (callers === undefined) delete config.signal;
      else config.signal = callers;
    };
    const giveUp = (reason: unknown): void => {
      if (isOver) return;
      end();
      unfollow();
      breakBody(config.data, () => ours.abort(reason));
      reject(reason);
    };
    const unfollow = follow(callers, (reason) => {
      // The caller may still want to end the body of a response that it has.
      if (isOver) ours.abort(reason);
      else giveUp(reason);
    });
    // It keeps the process alive: the request is pending, whatever the adapter holds.
    const cancel = sleep(limit.ms, () => giveUp(limit.error()));
    config.signal = ours.signal;
    // Somebody's adapter may also throw, or give nothing.
    const sent = async (): Promise<ResponseShape> => send();
    sent().then(
      (response: ResponseShape | undefined) => {
        if (isOver) {
          if (response) late(response);
          return;
        }
        end();
        whenRead(response?.data, ours.signal, unfollow);
        resolve(response as ResponseShape);
      },
      (error: unknown) => {
        if (isOver) {
          const answer = answerOf({ kind: 'error', error });
          if (answer) late(answer);
          return;
        }
        end();
        unfollow();
        reject(error);
      },
    );
  });
}

/** Over HTTP/2, axios ends what it aborts as if it were whole: so a body that is still being sent breaks first. */
function breakBody(data: unknown, done: () => void): void {
  const isSending = typeof data === 'object' && data !== null && isStream(data);
  if (isSending && !('destroyed' in data && data.destroyed === true)) {
    (data as unknown as EventSource).on('close', done);
    // Not with the caller's reason, which older versions of axios cannot take for their own.
    dispose(data, new Error('undaunted: the attempt is over'));
  } else done();
}

/** A stream of Node tells its end; of another one, axios stops listening, or nobody holds it any more. */
function whenRead(data: unknown, signal: AbortSignal, done: Cancel): void {
  if (typeof data !== 'object' || data === null) done();
  else if (isStream(data)) (data as unknown as EventSource).on('close', done);
  else if (isWebStream(data)) {
    unread.register(data, done);
    const stopListening = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject): void => {
      stopListening(type, listener);
      done();
    };
  } else done();
}

interface EventSource {
  on(event: 'close', listener: () => void): unknown;
}

const unread: FinalizationRegistry<Cancel> = new FinalizationRegistry((done) => done());

function follow(signal: SignalShape | undefined, abort: (reason: unknown) => void): Cancel {
  if (signal === undefined) return () => undefined;
  const onAbort = (): void => abort(signal.reason);
  signal.addEventListener?.('abort', onAbort);
  return () => signal.removeEventListener?.('abort', onAbort);
}
