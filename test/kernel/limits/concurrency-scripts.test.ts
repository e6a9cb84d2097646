/**
 * Two thousand scripts of requests that come, wait, leave, are hedged, fail, are sent again and are read, at random: no
 * more are in flight than there may be, none waits beside room that is free, they go in the order in which they came, and
 * in the end nothing is occupied. Faults that are planted are found.
 */

import { expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { ScopeConcurrency } from '../../../src/kernel/limits/concurrency.js';
import type { LiveSession } from '../../../src/kernel/live-session.js';
import type { Retrier } from '../../../src/kernel/retrier.js';
import { createRetrier } from '../../../src/parts/all.js';
import { answered, failed, requestOf } from '../../kit.js';

type Phase = 'waiting' | 'backing off' | 'out' | 'reading' | 'over';

interface Request {
  readonly session: LiveSession;
  readonly path: string;
  phase: Phase;
  /** Its numbers among attempts that are out, if it has two. */
  hedged: boolean;
  /** The number of a loser that runs on. */
  loser: number | undefined;
  isCalled: boolean;
  wakeAt: number;
  /** The order in which it has joined the line; undefined: it is in none. */
  joined: number | undefined;
}

const replayable = { replayable: true };
const aborted = { kind: 'error', error: new Error('aborted'), aborted: true } as const;

/** Numbers between 0 and 1 that are the same each time (mulberry32). */
function diceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What each rule's own limit is. */
const limits: Readonly<Record<string, number>> = { '/': 3, '/own': 1 };

function policyOf(draw: () => number): PolicyOptions {
  const maxWaiting = Math.floor(draw() * 6);
  return {
    budget: false,
    maxRetries: 2,
    schedule: { kind: 'fixed', waitMs: 20, jitter: 'none' },
    ...(draw() < 0.3 && { gate: { failures: 3, deadForMs: 50, probeMs: 50, rampMs: 50 } }),
    ...(draw() < 0.3 && { hold: { refusedShare: 0, minMs: 0 } }),
    ...(draw() < 0.5 && { deadlineMs: 400 }),
    hedge: { afterMs: 5, share: 1 },
    concurrency: { limit: 3, maxWaiting: Math.max(1, maxWaiting) },
    rules: [{ match: '/own', concurrency: { limit: 1, maxWaiting: 3 }, hedge: false }],
  };
}

class Script {
  now = 0;
  private readonly draw: () => number;
  private readonly retrier: Retrier;
  private readonly requests: Request[] = [];
  private joins = 0;

  constructor(seed: number) {
    this.draw = diceOf(seed);
    const ports = { now: () => this.now, date: () => 0, random: this.draw };
    this.retrier = createRetrier(policyOf(this.draw), ports);
  }

  /** What was wrong, in words. */
  play(steps: number): string | undefined {
    for (let step = 0; step < steps; step += 1) {
      this.step();
      const fault = this.fault();
      if (fault !== undefined) return `step ${step}: ${fault}`;
    }
    for (const request of this.requests) this.leave(request);
    for (const request of this.requests)
      if (request.loser !== undefined) this.loserEnds(request, request.loser);
    return this.fault() ?? this.leftover();
  }

  private step(): void {
    const { draw } = this;
    const alive = this.requests.filter(({ phase, loser }) => phase !== 'over' || loser !== undefined);
    const one = alive[Math.floor(draw() * alive.length)];
    const what = draw();
    if (one === undefined || what < 0.25) this.begin();
    else if (what < 0.35) this.now += Math.floor(draw() * 30);
    else if (what < 0.37) this.retrier.reset();
    else this.move(one);
  }

  private begin(): void {
    const path = this.draw() < 0.7 ? '/' : '/own';
    const session = this.retrier.open(requestOf({ path })) as LiveSession;
    const request: Request = {
      session,
      path,
      phase: 'waiting',
      hedged: false,
      loser: undefined,
      isCalled: false,
      wakeAt: 0,
      joined: undefined,
    };
    this.requests.push(request);
    this.ask(request);
  }

  private ask(request: Request): void {
    const { session } = request;
    request.isCalled = false;
    const admission = session.admit();
    const isInLine = admission.kind === 'wait' && admission.why === 'concurrency';
    if (isInLine) request.joined ??= this.joins++;
    else request.joined = undefined;
    if (admission.kind === 'go') {
      request.phase = 'out';
      session.tail?.sent(session.attempt);
    } else if (admission.kind === 'wait') {
      request.phase = 'waiting';
      request.wakeAt = this.now + admission.delayMs;
      if (admission.isCalled) {
        session.onTurn(() => {
          request.isCalled = true;
        });
      }
    } else {
      request.phase = 'over';
      session.abandon('refused');
    }
  }

  private move(request: Request): void {
    const { draw } = this;
    if (request.loser !== undefined && draw() < 0.3) this.loserEnds(request, request.loser);
    else if (draw() < 0.15) this.leave(request);
    else if (request.phase === 'waiting') this.wake(request);
    else if (request.phase === 'backing off') this.ask(request);
    else if (request.phase === 'reading') this.read(request);
    else if (request.phase === 'out' && !request.hedged && draw() < 0.3) this.hedge(request);
    else if (request.phase === 'out') this.end(request);
  }

  private wake(request: Request): void {
    if (!request.isCalled) this.now = Math.max(this.now, request.wakeAt);
    this.ask(request);
  }

  private hedge(request: Request): void {
    const { tail } = request.session;
    const attempt = tail?.hedge();
    if (attempt === undefined) return;
    if (this.draw() < 0.2) tail?.withdraw();
    else {
      tail?.sent(attempt);
      request.hedged = true;
    }
  }

  private end(request: Request): void {
    const { session } = request;
    const status = this.draw() < 0.5 ? 200 : this.draw() < 0.5 ? 503 : 404;
    const outcome = this.draw() < 0.2 ? failed({ code: 'ECONNRESET' }) : answered(status);
    if (!request.hedged) {
      if (outcome.kind === 'response' && session.acceptAtOnce(outcome.status)) request.phase = 'reading';
      else this.obey(request, session.next(outcome, replayable).action, outcome.kind === 'response');
      return;
    }
    const hedge = session.attempt + 1;
    const ruling = session.tail?.ended(session.attempt, outcome, replayable);
    if (ruling === undefined || ruling.kind === 'pending') {
      const other = session.tail?.ended(hedge, answered(this.draw() < 0.5 ? 200 : 503), replayable);
      if (other?.kind === 'decided') {
        request.hedged = false;
        this.obey(request, other.decision.action, true);
      }
      return;
    }
    request.hedged = false;
    if (ruling.decision.action === 'stop' && (session.tail?.leaveLoser(hedge) ?? 0) > 0)
      request.loser = hedge;
    this.obey(request, ruling.decision.action, outcome.kind === 'response');
  }

  private obey(request: Request, action: 'retry' | 'stop', hasBody: boolean): void {
    if (action === 'retry') request.phase = 'backing off';
    else if (hasBody) request.phase = 'reading';
    else this.over(request);
  }

  private read(request: Request): void {
    // The body breaks off, and the rest is requested.
    if (this.draw() < 0.2) {
      const { action } = request.session.next(failed({ code: 'ECONNRESET' }), {
        replayable: true,
        resumable: true,
      });
      this.obey(request, action, false);
    } else this.over(request);
  }

  private over(request: Request): void {
    request.phase = 'over';
    request.session.bodyEnded();
  }

  /** The caller aborts, at any time. */
  private leave(request: Request): void {
    const { session, phase } = request;
    if (phase === 'over') return;
    if (phase === 'waiting' || phase === 'backing off' || this.draw() < 0.5) session.abandon(aborted.error);
    else if (phase === 'out') session.next(aborted, replayable);
    request.joined = undefined;
    request.hedged = false;
    this.over(request);
  }

  private loserEnds(request: Request, loser: number): void {
    request.loser = undefined;
    request.session.tail?.loserGone(loser, this.draw() < 0.5);
  }

  // -------------------------------------------------------------- what an observer from outside counts

  private fault(): string | undefined {
    const shown = this.retrier.snapshot().scopes[0]?.concurrencies ?? [];
    for (const [path, limit] of Object.entries(limits)) {
      const ours = this.requests.filter((request) => request.path === path);
      const out = ours.reduce((all, request) => all + attemptsOut(request), 0);
      const waiting = ours.filter(({ joined }) => joined !== undefined);
      const said = shown.find((one) => one.limit === limit) ?? { inFlight: 0, waiting: 0 };
      if (out > limit) return `${out} are in flight, of ${limit}`;
      if (said.inFlight !== out) return `${said.inFlight} are said to be in flight, and ${out} are`;
      if (said.waiting !== waiting.length)
        return `${said.waiting} are said to wait, and ${waiting.length} do`;
      const order = waiting.toSorted((a, b) => (a.joined ?? 0) - (b.joined ?? 0));
      const called = order.filter(({ isCalled }) => isCalled).length;
      const due = order.slice(0, Math.max(0, limit - out));
      if (due.some(({ isCalled }) => !isCalled)) return `there is room, and the first in line is not called`;
      if (called > due.length && order.slice(due.length).some(({ isCalled }) => isCalled) && out < limit)
        return 'one is called before its turn';
    }
    return undefined;
  }

  private leftover(): string | undefined {
    const shown = this.retrier.snapshot().scopes.flatMap(({ concurrencies }) => concurrencies ?? []);
    const left = shown.filter(({ inFlight, waiting }) => inFlight !== 0 || waiting !== 0);
    return left.length === 0 ? undefined : `in the end: ${JSON.stringify(left)}`;
  }
}

function attemptsOut({ phase, hedged, loser }: Request): number {
  const own = phase === 'out' || phase === 'reading' ? 1 : 0;
  return own + (hedged ? 1 : 0) + (loser ? 1 : 0);
}

function firstFault(scripts: number): string | undefined {
  for (let seed = 1; seed <= scripts; seed += 1) {
    const fault = new Script(seed).play(60);
    if (fault !== undefined) return `script ${seed}, ${fault}`;
  }
  return undefined;
}

test('two thousand scripts', () => {
  expect(firstFault(2_000)).toBeUndefined();
});

test.each<[string, keyof ScopeConcurrency, (usual: () => void) => () => void]>([
  ['a leak', 'givenBack', sometimes(0)],
  ['a double return', 'givenBack', sometimes(2)],
  ['a call that is lost', 'leave', sometimes(0)],
])('a planted fault is found: %s', (_, verb, planted) => {
  const real = ScopeConcurrency.prototype[verb] as () => void;
  Object.defineProperty(ScopeConcurrency.prototype, verb, { value: planted(real), configurable: true });
  try {
    expect(firstFault(2_000)).toBeDefined();
  } finally {
    Object.defineProperty(ScopeConcurrency.prototype, verb, {
      value: real,
      configurable: true,
      writable: true,
    });
  }
});

/** Each fiftieth call is made as often as this. */
function sometimes(times: number): (usual: (...given: never[]) => void) => () => void {
  let calls = 0;
  return (usual) =>
    function planted(this: ScopeConcurrency, ...given: never[]) {
      calls += 1;
      for (let each = calls % 50 === 0 ? times : 1; each > 0; each -= 1) usual.apply(this, given);
    };
}
