/**
 * Which HTTP/1.1 connection an attempt is sent on. undici says so on a diagnostics channel, before it writes and right
 * after it has called onRequestStart. Undefined over HTTP/2, and wherever undici says nothing.
 */

import { builtinModule } from '../../kernel/builtin-module.js';
import { type AwaitsTurn, atEndOfTurn } from '../../kernel/turn.js';

/** An attempt that wants to know its connection. */
export interface OnConnection {
  gotConnection(connection: object): void;
}

interface SendHeaders {
  readonly headers: string;
  readonly socket: object;
}

interface Channels {
  subscribe(name: string, listener: (message: unknown) => void): void;
}

/** The attempt whose onRequestStart undici has called last in this turn: what it sends later is of other requests. */
let started: OnConnection | undefined;
const ofThisTurn: AwaitsTurn = {
  awaitsTurn: false,
  turnEnds() {
    started = undefined;
  },
};
let isSubscribed = false;

/** To be called in onRequestStart. The first call subscribes to the channel, for the life of the process. */
export function askForConnection(attempt: OnConnection): void {
  started = attempt;
  if (!ofThisTurn.awaitsTurn) atEndOfTurn(ofThisTurn);
  if (isSubscribed) return;
  isSubscribed = true;
  builtinModule<Channels>('node:diagnostics_channel')?.subscribe('undici:client:sendHeaders', tellStarted);
}

function tellStarted(message: unknown): void {
  const attempt = started;
  if (attempt === undefined) return;
  started = undefined;
  const { headers, socket } = message as SendHeaders;
  if (isHttp1(headers)) attempt.gotConnection(socket);
}

/** Over HTTP/2, the headers have no request line. */
function isHttp1(headers: string): boolean {
  const end = headers.indexOf('\r\n');
  return headers.endsWith(' HTTP/1.1', end === -1 ? undefined : end);
}
