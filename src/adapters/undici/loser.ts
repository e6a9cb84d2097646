/**
 * Looks after an attempt over HTTP/1.1 that has lost, and may go on until its head: cutting it would cost its connection.
 * It holds nothing of the caller's.
 */

import type { Duplex } from 'node:stream';
import { drainTime } from '../../drivers/body/drain.js';
import type { Ports } from '../../kernel/ports.js';
import type { SessionTail } from '../../kernel/session.js';
import { type Cancel, judging } from '../../kernel/timers.js';
import { RequestContext } from './context.js';
import type { ResponseHeaders } from './handlers.js';
import type { Receiver, Sending } from './sending.js';

export class Loser implements Receiver {
  readonly context: RequestContext = new RequestContext({ path: '/', method: 'GET' });
  readonly ports: Ports;
  readonly paused = false;
  readonly expectsBody = false;
  readonly watchesBody = false;
  private readonly method: string;
  /** Is told once that the attempt is gone. */
  private tail: SessionTail | undefined = undefined;
  private attempt = 0;
  private cancel: Cancel | undefined = undefined;

  constructor(ports: Ports, method: string) {
    this.ports = ports;
    this.method = method;
  }

  /** Lets the attempt go on until its head, but not for longer than this. */
  letGoOn(sending: Sending, tail: SessionTail, attempt: number, ms: number): void {
    this.tail = tail;
    this.attempt = attempt;
    const giveUp = (): void => {
      this.gone(false);
      sending.cut();
    };
    this.cancel = this.ports.sleep(ms, giveUp, judging('awake', true));
  }

  private gone(isAnswered: boolean): void {
    const { tail } = this;
    this.cancel?.();
    this.tail = undefined;
    tail?.loserGone(this.attempt, isAnswered);
  }

  headed(sending: Sending, status: number): void {
    if (status < 200) return;
    this.gone(true);
    discard(sending, this.method, sending.headers);
  }

  ended(): void {
    this.gone(false);
  }

  failed(): void {
    this.gone(false);
  }

  upgraded(_sending: Sending, _status: number, _headers: ResponseHeaders, socket: Duplex): void {
    this.gone(false);
    socket.destroy();
  }

  told(): void {}
  gathered(): void {}
  deliver(): void {}
  acceptsWhole(): boolean {
    return false;
  }

  received(): void {}
  tellData(): void {}
  endWith(): void {}
}

/** Discards the answer to a request: a small one is read to its end, since a new connection would cost more. */
export function discard(
  sending: Pick<Sending, 'isUploading' | 'cut' | 'drain'>,
  method: string,
  headers: ResponseHeaders,
): void {
  const ms = drainTime(method, headers['content-length']);
  // While the request is still being sent, the server would wait for the rest of it.
  if (ms === 0 || sending.isUploading) sending.cut();
  else sending.drain(ms);
}
