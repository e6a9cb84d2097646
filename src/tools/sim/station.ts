/**
 * The host of a server: its kernel, which accepts and refuses connections, cuts them off and loses answers, and which
 * keeps running while the server itself is stopped.
 */

import type { ErrorOutcome, ResponseOutcome } from '../../index.js';
import type { Agenda, Handler } from './agenda.js';
import type { Exchange } from './exchange.js';
import type { Luck, Purpose } from './luck.js';
import { drawFor, purposes } from './luck.js';
import type { Host, Server } from './servers/server.js';
import { cutOff, done, refused } from './servers/server.js';
import type { Traffic } from './traffic.js';
import type { Visits } from './visits.js';

export interface StationParts {
  readonly agenda: Agenda;
  readonly traffic: Traffic;
  readonly visits: Visits;
  readonly backlog: number;
  /** The path of the requests that the next service has to answer; undefined: all. */
  readonly onward?: string | undefined;
  readonly seconds: number;
  readonly serverOf: (host: Host) => Server;
}

export class Station implements Host {
  readonly server: Server;
  /** Everything takes this many times as long. */
  slowness = 1;
  lostShare = 0;
  /** Attempts that were sent to it in each second, whether or not they were accepted. */
  readonly arrived: Float64Array;
  /** Measured at the start of each second. */
  readonly concurrency: Float64Array;
  readonly delayMs: Float64Array;
  /** Time that its workers spent on the attempts that ended in each second, with those of clients that had left. */
  readonly workMs: Float64Array;
  /** Calls the next service in the row, which has to answer before this one can. */
  forward: ((visit: number) => void) | undefined = undefined;
  private readonly agenda: Agenda;
  private readonly traffic: Traffic;
  private readonly visits: Visits;
  private readonly backlog: number;
  private readonly onward: string | undefined;
  private readonly ticking: Handler = (visit, stamp) => this.tick(visit, stamp);
  private readonly asking: Handler = (visit, stamp) => this.ask(visit, stamp);
  private isStopped = false;
  private isDown = false;
  /** Connections that the kernel has accepted, and the server not yet. */
  private pending: number[] = [];
  /** Connections that found no place in the backlog: their clients' kernels will try again. */
  private readonly turnedAway: Set<number> = new Set();
  /** Ticks that came due while the server was stopped, with their stamps. */
  private overdue: [visit: number, stamp: number][] = [];

  constructor({ agenda, traffic, visits, backlog, onward, seconds, serverOf }: StationParts) {
    this.onward = onward;
    this.agenda = agenda;
    this.traffic = traffic;
    this.visits = visits;
    this.backlog = backlog;
    this.arrived = new Float64Array(seconds);
    this.concurrency = new Float64Array(seconds);
    this.delayMs = new Float64Array(seconds);
    this.workMs = new Float64Array(seconds);
    this.server = serverOf(this);
  }

  /** `turn`: of the attempt. */
  receive(exchange: Exchange, turn: number): void {
    const second = Math.floor(this.agenda.now / 1_000);
    this.arrived[second] = (this.arrived[second] as number) + 1;
    if (this.isDown) this.traffic.answered(exchange, turn, refused);
    else this.letIn(this.visits.open(exchange, turn));
  }

  private letIn(visit: number): void {
    if (!this.isStopped) this.begin(visit);
    else if (this.pending.length < this.backlog) this.pending.push(visit);
    else this.turnAway(visit);
  }

  /**
   * A connection that finds no place in the backlog gets no answer, and the client's kernel tries again: after a second,
   * and then each time after twice as long (RFC 6298 2.1, 5.5).
   */
  private turnAway(visit: number): void {
    const { agenda, visits, turnedAway } = this;
    if (!turnedAway.has(visit)) visits.begin(visit, agenda.now);
    turnedAway.add(visit);
    agenda.at(agenda.now + this.elapsed(visit) + 1_000, this.asking, visit, visits.stampOf(visit));
  }

  private ask(visit: number, stamp: number): void {
    const { visits, turnedAway } = this;
    if (visits.stampOf(visit) !== stamp) return;
    const hasLeft = visits.exchangeOf(visit)?.isOut(visits.turnOf(visit)) !== true;
    const isWaiting = this.isStopped && this.pending.length >= this.backlog;
    if (hasLeft || !isWaiting) turnedAway.delete(visit);
    if (hasLeft) visits.close(visit);
    else if (this.isDown) this.deliver(visit, refused);
    else this.letIn(visit);
  }

  private begin(visit: number): void {
    this.visits.begin(visit, this.agenda.now);
    this.server.arrive(visit);
  }

  private tick(visit: number, stamp: number): void {
    if (this.visits.stampOf(visit) !== stamp) return;
    if (this.isStopped) this.overdue.push([visit, stamp]);
    else this.server.tick(visit);
  }

  // -------------------------------------------------------------- what the host offers to its server

  get now(): number {
    return this.agenda.now;
  }

  pathOf(visit: number): string {
    return this.visits.exchangeOf(visit)?.route.facts.path ?? '/';
  }

  /** For the request to the next service. */
  luckOf(visit: number): Luck {
    return this.visits.luckOf(visit);
  }

  draw(visit: number, purpose: Purpose): number {
    return drawFor(this.visits.luckOf(visit), purpose);
  }

  drawOfRequest(visit: number, purpose: Purpose): number {
    const exchange = this.visits.exchangeOf(visit);
    return exchange === undefined ? 0 : drawFor(exchange.luck, purpose);
  }

  stampOf(visit: number): number {
    return this.visits.stampOf(visit);
  }

  elapsed(visit: number): number {
    return this.agenda.now - this.visits.begunAtOf(visit);
  }

  work(visit: number): void {
    this.visits.work(visit, this.agenda.now);
  }

  later(delayMs: number, visit: number): void {
    this.again(delayMs * this.slowness, visit);
  }

  again(delayMs: number, visit: number): void {
    this.agenda.at(this.agenda.now + delayMs, this.ticking, visit, this.visits.stampOf(visit));
  }

  answer(visit: number, outcome: ResponseOutcome | ErrorOutcome): void {
    this.countWork(visit);
    if (outcome === done && this.goesOn(visit)) this.forward?.(visit);
    else this.deliver(visit, outcome);
  }

  goesOn(visit: number): boolean {
    return this.forward !== undefined && (this.onward === undefined || this.onward === this.pathOf(visit));
  }

  /** The next service has answered. */
  continue(visit: number, outcome: ResponseOutcome | ErrorOutcome): void {
    this.server.continue?.(visit);
    this.deliver(visit, outcome);
  }

  /** Without what the next service in the row does. */
  private countWork(visit: number): void {
    const { workMs, agenda, visits } = this;
    const second = Math.floor(agenda.now / 1_000);
    workMs[second] = (workMs[second] as number) + agenda.now - visits.workedFromOf(visit);
  }

  deliver(visit: number, outcome: ResponseOutcome | ErrorOutcome): void {
    const exchange = this.visits.exchangeOf(visit);
    if (exchange === undefined) return;
    const turn = this.visits.turnOf(visit);
    const isLost = this.lostShare > 0 && this.draw(visit, purposes.loss) < this.lostShare;
    this.visits.close(visit);
    if (outcome.kind === 'response' && outcome.status < 400) note(exchange);
    if (!isLost) this.traffic.answered(exchange, turn, outcome);
  }

  /** Never answers. */
  ignore(visit: number): void {
    this.countWork(visit);
    this.visits.close(visit);
  }

  sample(second: number): void {
    this.concurrency[second] = this.server.concurrency;
    this.delayMs[second] = this.server.delayMs;
  }

  // -------------------------------------------------------------- faults

  stop(): void {
    this.isStopped = true;
  }

  /** All requests that arrived during the stop reach the server at once. */
  resume(): void {
    if (!this.isStopped) return;
    this.isStopped = false;
    const { overdue, pending } = this;
    this.overdue = [];
    this.pending = [];
    for (const [visit, stamp] of overdue) this.tick(visit, stamp);
    for (const visit of pending) this.begin(visit);
  }

  crash(): void {
    this.isDown = true;
    this.pending = [];
    this.overdue = [];
    this.server.forget();
    for (const visit of this.visits.all()) {
      const isConnected =
        this.visits.exchangeOf(visit)?.caller.station === this && !this.turnedAway.has(visit);
      if (isConnected) this.deliver(visit, cutOff);
    }
  }

  /** Cuts off the requests in progress, and accepts the next ones. */
  reset(): void {
    if (this.isDown) return;
    this.crash();
    this.isDown = false;
  }

  restart(): void {
    this.isDown = false;
  }
}

function note(exchange: Exchange): void {
  exchange.applied += 1;
  const { facts, tally } = exchange.route;
  const isWrite = facts.method === 'POST' || facts.method === 'PATCH';
  if (isWrite && !facts.keyed && exchange.applied > 1) tally.duplicateWrites += 1;
}
