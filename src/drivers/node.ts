/** What only Node needs: a signal that counts its listeners, and timers that are objects. */

import { builtinModule } from '../kernel/builtin-module.js';
import { realPorts } from '../kernel/ports.js';
import type { Session } from '../kernel/session.js';
import { areShared, setLimit, TimeLimit } from '../kernel/time-limits.js';
import type { Sleep } from '../kernel/timers.js';
import { endOfTurn, isTurnEnding } from '../kernel/turn.js';
import type { Ending, Limit, Outgoing } from './loop/exchange.js';
import { AbortableAttempt, endedFor } from './loop/sending.js';

// ---------------------------------------------------------------- a signal that many requests share

interface NodeEvents {
  readonly defaultMaxListeners: number;
  getMaxListeners(signal: AbortSignal): number;
  setMaxListeners(count: number, signal: AbortSignal): void;
}

/** As many as Node's fetch allows. */
const mostListeners = 1_500;

/**
 * Many requests may share a signal, for example the one that ends a server. Node warns of a leak if a signal has more
 * than ten listeners. Its own fetch lets it have more, and so do we; a limit of the caller's own stays.
 */
export function expectManyListeners(signal: AbortSignal): void {
  const events = builtinModule<NodeEvents>('node:events');
  if (events === undefined) return;
  try {
    const isDefault = events.getMaxListeners(signal) === events.defaultMaxListeners;
    if (isDefault) events.setMaxListeners(mostListeners, signal);
  } catch {
    // The signal is not the platform's own, or the platform has only a part of Node's module.
  }
}

// ---------------------------------------------------------------- the time limits of many requests

/** The time of an attempt is over. */
interface Expired<Answer> {
  readonly kind: 'expired';
  readonly stalledMs: number;
  /** The attempt has ended before anything came of that. */
  ending: Ending<Answer> | undefined;
}

/**
 * An attempt that shares its timer with others. So that timer fires in the async context of any request, and what follows
 * is left to a promise, which leads back to the context of its own: functions of the caller's may hear of it, such as
 * listeners of the signal.
 */
export class SharingAttempt<Answer> extends AbortableAttempt<Answer> {
  /** Undefined once the attempt is over, like `ended`. */
  private timer: SharedLimit<Answer> | undefined = undefined;

  override run<Result>(
    outgoing: Outgoing<Answer>,
    limit: Limit,
    finish: (ending: Ending<Answer>) => Result | PromiseLike<Result>,
  ): Promise<Result> {
    return new Promise<Ending<Answer> | Expired<Answer>>((resolve) => {
      this.start(this.exchange, undefined, endedFor(outgoing, resolve));
      if (this.ended !== undefined) this.timer = new SharedLimit(this, limit, this.exchange.session, resolve);
    }).then((ending) =>
      ending.kind === 'expired' ? this.afterTime(ending, limit, outgoing).then(finish) : finish(ending),
    );
  }

  private afterTime(
    { ending, stalledMs }: Expired<Answer>,
    limit: Limit,
    outgoing: Outgoing<Answer>,
  ): Promise<Ending<Answer>> {
    return new Promise((resolve) => {
      this.ended = endedFor(outgoing, resolve);
      if (ending === undefined) this.expire(limit, stalledMs);
      else this.end(ending);
    });
  }

  /** Until `afterTime` is called. */
  expires(expired: Expired<Answer>): void {
    this.ended = (ending) => {
      expired.ending = ending;
    };
  }

  protected override end(ending: Ending<Answer>): void {
    this.timer?.stop();
    this.timer = undefined;
    super.end(ending);
  }
}

class SharedLimit<Answer> extends TimeLimit {
  readonly lastsMs: number;
  private readonly attempt: SharingAttempt<Answer>;
  private readonly session: Session;
  private readonly resolve: (expired: Expired<Answer>) => void;

  constructor(
    attempt: SharingAttempt<Answer>,
    { ms, judges }: Limit,
    session: Session,
    resolve: (expired: Expired<Answer>) => void,
  ) {
    super();
    this.lastsMs = ms;
    this.attempt = attempt;
    this.session = session;
    this.resolve = resolve;
    const { ports } = session.scope;
    if (!areShared(ports) || isTurnEnding()) session.begin();
    setLimit(this, ports, judges, session.settings.unref);
  }

  override turnEnds(): void {
    // First, so that a clock of the caller's that throws takes no limit away.
    super.turnEnds();
    this.session.begin(endOfTurn());
  }

  over(stalledMs: number): void {
    const expired: Expired<Answer> = { kind: 'expired', stalledMs, ending: undefined };
    this.attempt.expires(expired);
    this.resolve(expired);
  }
}

/** As `sleep`, but `wake` may be called in the async context of another request. */
export function sharing(sleep: Sleep): Sleep {
  return areShared({ sleep }) ? sharedSleep : sleep;
}

const sharedSleep: Sleep = (delayMs, wake, { judges = 'elapsed', unref = false } = {}) => {
  const limit = new SharedWait(delayMs, wake);
  setLimit(limit, realPorts, judges, unref);
  return () => limit.stop();
};

class SharedWait extends TimeLimit {
  readonly lastsMs: number;
  readonly over: (stalledMs: number) => void;

  constructor(lastsMs: number, over: (stalledMs: number) => void) {
    super();
    this.lastsMs = lastsMs;
    this.over = over;
  }
}
