/** What only Node needs: a signal that counts its listeners, one that is made late, and timers that are objects. */

import { builtinModule } from '../kernel/builtin-module.js';
import { realPorts } from '../kernel/ports.js';
import type { Session } from '../kernel/session.js';
import { areShared, setLimit, TimeLimit } from '../kernel/time-limits.js';
import type { Sleep } from '../kernel/timers.js';
import { endOfTurn, isTurnEnding } from '../kernel/turn.js';
import type { Abortable, Ending, Limit } from './loop/exchange.js';
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

// ---------------------------------------------------------------- a signal that is made once it is read

let makesSignalsSlowly: boolean | undefined;

/**
 * Shows an adapter of axios the signal of an attempt. Node 20 takes longer to make one than for all else that a time limit
 * needs, and adapters of the caller's, such as mocks and caches, may never read it; those of axios do, at once. Later
 * versions make one faster than a property that makes it.
 */
export function showSignal(config: { adapter?: unknown; signal?: unknown }, sent: Abortable): void {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
  makesSignalsSlowly ??= process?.versions?.node?.startsWith('20.') === true;
  const isLate = makesSignalsSlowly && typeof config.adapter === 'function' && showOnceRead(config, sent);
  if (!isLate) config.signal = sent.signal;
}

/**
 * False: the configuration is sealed. A function of its own: one that creates closures allocates room for their variables
 * at each call.
 */
function showOnceRead(config: object, sent: Abortable): boolean {
  let given: { readonly value: unknown } | undefined;
  return Reflect.defineProperty(config, 'signal', {
    configurable: true,
    enumerable: true,
    get: () => (given === undefined ? sent.signal : given.value),
    // As if it were a value: in the configuration, or in what inherits from it. The adapter may have sealed it since then.
    set(this: object, value: unknown) {
      const own = { configurable: true, enumerable: true, writable: true, value };
      if (!Reflect.defineProperty(this, 'signal', own)) given = own;
    },
  });
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
    limit: Limit,
    finish: (ending: Ending<Answer>) => Result | PromiseLike<Result>,
  ): Promise<Result> {
    return new Promise<Ending<Answer> | Expired<Answer>>((resolve) => {
      this.start(this.exchange, undefined, endedFor(this.exchange, resolve));
      if (this.ended !== undefined) this.timer = new SharedLimit(this, limit, this.exchange.session, resolve);
    }).then((ending) =>
      ending.kind === 'expired' ? this.afterTime(ending, limit).then(finish) : finish(ending),
    );
  }

  private afterTime({ ending, stalledMs }: Expired<Answer>, limit: Limit): Promise<Ending<Answer>> {
    return new Promise((resolve) => {
      this.ended = endedFor(this.exchange, resolve);
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
