/**
 * Requests of fetch that are built from init alone: to go to another URL, and where a fetch ignores init beside a Request.
 * happy-dom's does, and its constructor takes the body of a Request rather than that of init: it sends the Request as it
 * is, and the second time never, or without its body.
 */

interface RequestShape {
  readonly url: string;
  readonly headers: Headers;
  clone(): RequestShape;
}

interface Headers {
  get(name: string): string | null;
  set?(name: string, value: string): void;
}

/** The init for a request at another URL, with everything that a Request says. */
export function initFrom(request: Pick<RequestShape, 'headers'>): Readonly<Record<string, unknown>> {
  const init = Object.fromEntries(
    ofRequest.flatMap((key) => {
      const value: unknown = Reflect.get(request, key);
      const isUsable = value !== undefined && !(key === 'mode' && value === 'navigate');
      return isUsable ? [[key, value]] : [];
    }),
  );
  return { ...init, headers: request.headers };
}

const ofRequest = [
  'method',
  'mode',
  'credentials',
  'cache',
  'redirect',
  'referrer',
  'referrerPolicy',
  'integrity',
  'keepalive',
  'signal',
  'duplex',
  'cf',
];

// ---------------------------------------------------------------- where init is ignored

interface Sent {
  readonly input: unknown;
  readonly init: unknown;
}

/** What is sent in the place of a Request to which init adds something. Undefined if its class takes init as it should. */
export function standIn(
  request: RequestShape,
  init: object | null | undefined,
  pairs: Pairs | undefined,
  isRepeated: boolean,
): Sent | undefined {
  if (!ignoresInit(request)) return undefined;
  if (isRepeated) return { input: request.url, init: { ...initFrom(request), ...init } };
  return pairs && { input: withHeaders(request, pairs), init };
}

type Pairs = readonly (readonly [name: string, value: unknown])[];

/** A clone with these headers, as the caller's own Request stays as it is. */
function withHeaders(request: RequestShape, pairs: Pairs): RequestShape {
  const clone = request.clone();
  for (const [name, value] of pairs) clone.headers.set?.(name, String(value));
  return clone;
}

type RequestClass = new (input: unknown, init: object) => RequestShape;

const known: WeakMap<RequestClass, boolean> = /* @__PURE__ */ new WeakMap();

/** The caller's Request is not touched. */
export function ignoresInit({ constructor: given }: object): boolean {
  if (typeof given !== 'function') return false;
  const Class = given as RequestClass;
  const found = known.get(Class) ?? takesOldBody(Class);
  known.set(Class, found);
  return found;
}

/**
 * The type of its body becomes a header of a Request, so that it shows which body is taken. A class with a constructor
 * of its own is not understood here, and counts as any other.
 */
function takesOldBody(Class: RequestClass): boolean {
  const init = { method: 'POST', headers: {} };
  const isForm = (input: unknown): boolean => {
    const { headers } = new Class(input, { ...init, body: new URLSearchParams('a=1') });
    return headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true;
  };
  try {
    const address = 'http://localhost/';
    const first = new Class(address, { ...init, body: 'a' });
    return first.url === address && isForm(address) && !isForm(first);
  } catch {
    return false;
  }
}
