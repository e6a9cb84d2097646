/**
 * The server of the chaos tests: a program whose argument is its `Orders`. It tells its parent when it listens, and
 * takes commands. It ends with its parent, or after the command to finish, once all clients have left.
 */

import { createServer, type Socket } from 'node:net';
import { Dice } from '../adapters/fuzz/dice.js';
import { Connection, type Stage } from '../faults/connection.js';
import { Arrival, Ledger, type RequestHead } from '../faults/ledger.js';
import { Cues } from '../faults/pacing.js';
import type { Play } from '../faults/play.js';
import { closeAfter, ranged, rst } from '../faults/plays.js';
import { FileLedger } from './file-ledger.js';
import { tokenIn } from './login.js';
import { type Course, courseOf, type Elsewhere, playElsewhere } from './misbehaviour.js';
import { bodyBytes, bodyStart, type Command, type Notice, type Orders, orderText } from './orders.js';

/** The path of the places that clients are sent to. */
const away = '/elsewhere/';

/** The time between a request's effect and its answer, in which anything may happen. */
const longestWorkMs = 8;

/** Effects are written to the file instead. */
const unused = new Ledger();

class ChaosRequest extends Arrival {
  readonly play: Play;
  readonly #takeEffect: () => void;

  constructor(head: RequestHead, connection: number, orders: Orders, ledger: FileLedger, tokens: Tokens) {
    super(unused, 0, head, connection);
    const { method } = head;
    const id = Number(head.path.split('/').at(-1));
    const key = this.headers['idempotency-key'];
    const isHere = !head.path.startsWith(away);
    const dice = new Dice(orders.seed, id * 100 + (isHere ? ledger.arrive(id, method, key) : 0));
    const isTaken = tokens.take(id, method, this.headers['authorization']);
    const answer = isTaken ? goodAnswer(id, this.headers['range']) : unauthorized;
    const { applies, play } = isHere ? courseHere(orders, dice, answer, id) : courseAway(head.path, answer);
    this.play = { ...play, steps: [{ do: 'wait', ms: dice.whole(1, longestWorkMs) }, ...play.steps] };
    this.#takeEffect = () => {
      if (method !== 'POST') return;
      if (this.body.toString() !== orderText(id)) ledger.spoilt(id, method);
      else if (applies && isTaken) ledger.apply(id, method, key);
    };
  }

  override finish(): void {
    this.#takeEffect();
    super.finish();
  }
}

function courseHere({ port, deadOrigin, misbehaviour }: Orders, dice: Dice, good: Play, id: number): Course {
  const addressOf = (place: Elsewhere): string =>
    `${place === 'refused' ? deadOrigin : `http://127.0.0.1:${port}`}${away}${place}/${id}`;
  return courseOf(misbehaviour, dice, good, addressOf);
}

function courseAway(path: string, good: Play): Course {
  const [place = ''] = path.slice(away.length).split('/');
  return { applies: false, play: playElsewhere(place, good) };
}

/** Which tokens are good. Those that have expired stay so, also when the server is started again. */
class Tokens {
  readonly #orders: Orders;
  readonly #ledger: FileLedger;
  readonly #uses = new Map<number, number>();

  constructor(orders: Orders, ledger: FileLedger) {
    this.#orders = orders;
    this.#ledger = ledger;
  }

  take(id: number, method: string, authorization: string | undefined): boolean {
    if (this.#orders.tokenUses === undefined) return true;
    const token = tokenIn(authorization);
    const isGood = token !== undefined && this.#use(token) <= this.#mostUses(token);
    if (!isGood) this.#ledger.refuse(id, method, token);
    return isGood;
  }

  #use(token: number): number {
    const uses = this.#ledger.hasRefused(token) ? Infinity : (this.#uses.get(token) ?? 0) + 1;
    this.#uses.set(token, uses);
    return uses;
  }

  #mostUses(token: number): number {
    const { seed, tokenUses = 0 } = this.#orders;
    return new Dice(seed, token).whole(tokenUses, 2 * tokenUses);
  }
}

class ChaosServer implements Stage {
  readonly cues: Cues = new Cues();
  readonly #orders: Orders;
  readonly #ledger: FileLedger;
  readonly #tokens: Tokens;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  #connections = 0;

  constructor(orders: Orders) {
    this.#orders = orders;
    this.#ledger = new FileLedger(orders.ledgerPath);
    this.#tokens = new Tokens(orders, this.#ledger);
  }

  obey(command: Command): void {
    if (command === 'listen') {
      this.#server.listen(this.#orders.port, '127.0.0.1', 4096, () => tell('listening'));
      return;
    }
    this.#server.close();
    if (command === 'slam') for (const socket of this.#sockets) socket.resetAndDestroy();
    if (command === 'finish') process.off('disconnect', leave).disconnect();
    else tell('shut');
  }

  record(head: RequestHead, connection: number): Arrival {
    return new ChaosRequest(head, connection, this.#orders, this.#ledger, this.#tokens);
  }

  playFor(request: Arrival): Play {
    if (!(request instanceof ChaosRequest)) throw new TypeError('every request here is one of chaos');
    return this.#server.listening ? request.play : closeAfter(request.play);
  }

  /** Nothing in this process waits for events of the lab. */
  changed(): void {}

  #accept(socket: Socket): void {
    this.#connections += 1;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    // A client that closes its side is gone: half-closed connections do not occur.
    socket.on('end', () => socket.destroy());
    const reset = (): void => void socket.resetAndDestroy();
    const connection = new Connection({ number: this.#connections, socket, reset }, this);
    const { misbehaviour, seed } = this.#orders;
    if (misbehaviour.does !== 'resets') return;
    const dice = new Dice(~seed, this.#connections);
    if (dice.chance(misbehaviour.share)) connection.open(rst('connect'));
  }
}

/** With a body that can break off, as that of any other answer. */
const unauthorized: Play = {
  steps: [
    { do: 'head', status: 401, headers: { 'content-length': '200', 'www-authenticate': 'Bearer' } },
    { do: 'fill', bytes: 200, mark: 'unauthorized' },
    { do: 'end' },
  ],
};

/** The same answer to every method: the caller can tell that it is complete and its own. */
function goodAnswer(id: number, range: string | undefined): Play {
  const { steps } = ranged(range, bodyBytes, { etag: `"${id}"`, 'accept-ranges': 'bytes' });
  const start = bodyStart(id);
  return {
    steps: steps.map((step) => (step.do === 'fill' ? { ...step, from: start + (step.from ?? 0) } : step)),
  };
}

function tell(notice: Notice): void {
  process.send?.(notice);
}

function leave(): void {
  process.exit();
}

const [orders = ''] = process.argv.slice(2);
const server = new ChaosServer(JSON.parse(orders) as Orders);
process.on('disconnect', leave);
process.on('message', (command) => server.obey(command as Command));
server.obey('listen');
