/**
 * Counts the hops of one attempt that goes through undici's fetch, which follows redirects without telling: a dispatcher
 * sees each hop as it is handed over, and what became of it. It passes everything on, to the dispatcher of the caller or
 * to the global one.
 *
 * undici's diagnostics channels would not do: a request that waits for a connection is created in the context of another
 * one. Nor do addresses: a server may send its client back to itself.
 */

import { isObject } from '../core/is-object.js';
import { builtinModule } from '../kernel/builtin-module.js';

/** The dispatcher that a request goes through, of any version of undici. */
interface DispatcherShape {
  readonly isMockActive?: unknown;
  dispatch(options: unknown, handler: HandlerShape): unknown;
}

type Callback = (...told: unknown[]) => unknown;

/** What fetch makes for each hop, in undici's older or newer way. */
interface HandlerShape {
  onHeaders?: Callback;
  onError?: Callback;
  onResponseStart?: Callback;
  onResponseError?: Callback;
}

export class HopCounter implements DispatcherShape {
  private readonly given: DispatcherShape | undefined;
  private readonly wentTo: DispatcherShape[] = [];
  private status: unknown = undefined;
  private error: unknown = undefined;

  private constructor(given: DispatcherShape | undefined) {
    this.given = given;
  }

  /** `given` is the caller's dispatcher. Undefined: there is none that the hops could be passed on to. */
  static to(given: unknown): HopCounter | undefined {
    if (given !== undefined && given !== null) return isDispatcher(given) ? new HopCounter(given) : undefined;
    // undici keeps its dispatcher elsewhere if the global object takes no new properties.
    if (!Object.isExtensible(globalThis)) return undefined;
    loadNodesOwn();
    return places.some((place) => globals[place] !== undefined) ? new HopCounter(undefined) : undefined;
  }

  // -------------------------------------------------------------- as a dispatcher

  /** fetch hands the body over in another form then. */
  get isMockActive(): unknown {
    if (this.given !== undefined) return this.given.isMockActive;
    return places.some((place) => globals[place]?.isMockActive);
  }

  dispatch(options: unknown, handler: HandlerShape): unknown {
    const target = this.given ?? globalFor(handler);
    this.wentTo.push(target);
    this.watch(handler);
    return target.dispatch(options, handler);
  }

  /** The handler belongs to this hop alone, and fetch has no other use for it. */
  private watch(handler: HandlerShape): void {
    const { onHeaders, onError, onResponseStart, onResponseError } = handler;
    if (onResponseStart !== undefined && onResponseError !== undefined) {
      handler.onResponseStart = (...told) => {
        this.status = told[1];
        return onResponseStart.apply(handler, told);
      };
      handler.onResponseError = (...told) => {
        this.error = told[1];
        return onResponseError.apply(handler, told);
      };
    } else if (onHeaders !== undefined && onError !== undefined) {
      handler.onHeaders = (...told) => {
        this.status = told[0];
        return onHeaders.apply(handler, told);
      };
      handler.onError = (...told) => {
        this.error = told[0];
        return onError.apply(handler, told);
      };
    }
  }

  // -------------------------------------------------------------- what it has seen

  /** Whether this is known to be the answer to the only hop. */
  answered(status: number): boolean {
    return this.wasOne && this.status === status;
  }

  /** Whether this is known to be what the only hop failed with, before any answer. */
  failed(error: unknown): boolean {
    return (
      this.wasOne && this.status === undefined && this.error !== undefined && isWithin(error, this.error)
    );
  }

  private get wasOne(): boolean {
    const [first, ...others] = this.wentTo;
    if (first === undefined || others.length > 0) return false;
    // A layer of ours above this one counts the same hop.
    return first instanceof HopCounter ? first.wasOne : isPlain(unwrapped(first));
  }
}

function isDispatcher(given: unknown): given is DispatcherShape {
  return typeof (given as Partial<DispatcherShape>).dispatch === 'function';
}

/** Clients wrap the error in errors of their own. */
function isWithin(error: unknown, sought: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < 10; depth += 1) {
    if (at === sought) return true;
    if (!isObject(at)) return false;
    at = (at as { readonly cause?: unknown }).cause;
  }
  return false;
}

// ---------------------------------------------------------------- the global dispatcher

/** Where undici keeps it: up to version 7, and from 8 on. */
const places = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')] as const;

const globals = globalThis as Readonly<Record<symbol, DispatcherShape | undefined>>;

/** The handlers of version 8 are newer, too. */
function globalFor(handler: HandlerShape): DispatcherShape {
  const [older, newer] = places;
  const isNewer = handler.onResponseStart !== undefined;
  const found = (isNewer ? globals[newer] : globals[older]) ?? globals[older] ?? globals[newer];
  if (found === undefined) throw new TypeError('undaunted: there is no global dispatcher of undici');
  return found;
}

/** For older handlers, undici 8 wraps the global dispatcher. */
function unwrapped(dispatcher: DispatcherShape): DispatcherShape {
  const [older, newer] = places;
  const isWrapper = dispatcher === globals[older] && dispatcher.constructor.name === 'Dispatcher1Wrapper';
  return (isWrapper ? globals[newer] : undefined) ?? dispatcher;
}

/** Node loads its undici with the first use of a class of fetch, just as fetch itself does. */
function loadNodesOwn(): void {
  void globalThis.Response;
}

// ---------------------------------------------------------------- dispatchers that send one request, and no more

interface Dispatching {
  readonly dispatch: unknown;
}

/** The classes of undici, of any version, whose `dispatch` sends. Its other dispatchers inherit it. */
const senders: ReadonlySet<string> = new Set(['DispatcherBase', 'ProxyAgent', 'MockAgent']);

/** Each of these has a `dispatch` of its own. */
const mocks: ReadonlySet<string> = new Set(['MockClient', 'MockPool']);

/**
 * False for a dispatcher with interceptors, for a class that has its own `dispatch`, and for one that has such a
 * dispatcher beneath it or a factory of the caller's, which may make one: these may follow redirects or send other
 * requests, and hide both.
 */
export function isPlain(dispatcher: Dispatching): boolean {
  const owner = ownerOf(dispatcher);
  if (owner === undefined || owner.dispatch !== dispatcher.dispatch) return false;
  if (!(owner === dispatcher ? mocks : senders).has(owner.constructor.name)) return false;
  return Object.getOwnPropertySymbols(dispatcher).every((symbol) =>
    isPlainPart(symbol.description, Reflect.get(dispatcher, symbol)),
  );
}

/** undici keeps in symbols what a dispatcher is made of. */
function isPlainPart(name: string | undefined, part: unknown): boolean {
  if (name === 'factory') return typeof part === 'function' && part.name === 'defaultFactory';
  // Of undici 6: interceptors of the caller's, by class.
  if (name === 'options') return Object(part).interceptors === undefined;
  // What a MockAgent falls back to.
  return name !== 'agent' || typeof Object(part).dispatch !== 'function' || isPlain(part as Dispatching);
}

/** The dispatcher itself, or the prototype that its `dispatch` comes from. */
function ownerOf(dispatcher: Dispatching): Dispatching | undefined {
  let at: object | null = dispatcher;
  while (at !== null && !Object.hasOwn(at, 'dispatch')) at = Object.getPrototypeOf(at) as object | null;
  return at === null ? undefined : (at as Dispatching);
}

// ---------------------------------------------------------------- tunnels

/**
 * Whether the answer is the proxy's own, to CONNECT. https-proxy-agent, which axios also has for its own `proxy`, closes
 * the proxy's connection and replays that answer on a socket of Node's that was never connected: of the request,
 * nothing was written anywhere.
 */
export function isOfTunnel(sent: unknown): boolean {
  const { protocol, agent, socket } = Object(sent) as ProxiedRequest;
  if (protocol !== 'https:' || !agent?.proxy || !isObject(socket)) return false;
  const Socket = builtinModule<{ readonly Socket: { readonly prototype: object } }>('node:net')?.Socket;
  // A tunnel that was opened has a socket of TLS, and a mock has one of a class of its own.
  if (Socket === undefined || Object.getPrototypeOf(socket) !== Socket.prototype) return false;
  return socket.bytesWritten === 0 && socket.remoteAddress === undefined;
}

/** Node's request through an agent that opens tunnels. */
interface ProxiedRequest {
  readonly protocol?: unknown;
  readonly agent?: { readonly proxy?: unknown };
  readonly socket?: { readonly bytesWritten?: unknown; readonly remoteAddress?: unknown } | null;
}
