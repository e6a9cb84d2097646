/** Recognises dispatchers of undici that send a request as it is: once, and nothing beside it. */

interface Dispatching {
  readonly dispatch: unknown;
}

/** The classes of undici, of any version, whose `dispatch` sends. Its other dispatchers inherit it. */
const senders: ReadonlySet<string> = new Set(['DispatcherBase', 'ProxyAgent', 'MockAgent']);

/** Each of these has a `dispatch` of its own. */
const mocks: ReadonlySet<string> = new Set(['MockClient', 'MockPool']);

/**
 * False for a dispatcher with interceptors and for a class that has its own `dispatch`: these may follow redirects or
 * send other requests, and hide both.
 */
export function isPlain(dispatcher: Dispatching): boolean {
  const owner = ownerOf(dispatcher);
  if (owner === undefined || owner.dispatch !== dispatcher.dispatch) return false;
  return (owner === dispatcher ? mocks : senders).has(owner.constructor.name);
}

/** The dispatcher itself, or the prototype that its `dispatch` comes from. */
function ownerOf(dispatcher: Dispatching): Dispatching | undefined {
  let at: object | null = dispatcher;
  while (at !== null && !Object.hasOwn(at, 'dispatch')) at = Object.getPrototypeOf(at) as object | null;
  return at === null ? undefined : (at as Dispatching);
}
