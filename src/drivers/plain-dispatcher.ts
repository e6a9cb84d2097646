/** Recognises dispatchers of undici that send a request as it is: once, and nothing beside it. */

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
    isPlainPart(symbol.description, (dispatcher as unknown as Record<symbol, unknown>)[symbol]),
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
