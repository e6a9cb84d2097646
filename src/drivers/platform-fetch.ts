/**
 * Recognises a fetch that sends a request itself: the platform's own, or undici's. Any other function may send something
 * else beside the request, or answer with a response that it made. A platform has no better mark than the source text of
 * its functions; a text that is not known is a stranger's.
 */

/** `undici`: Node's own or that of the package. It takes a dispatcher; the others do not. */
export type PlatformFetch = 'undici' | 'other';

// biome-ignore lint/complexity/noBannedTypes: any function can be a key, and nothing is called here.
type AnyFunction = Function;

/** What a wrapped fetch of ours sends through. */
const beneath: WeakMap<AnyFunction, () => unknown> = new WeakMap();

/** A fetch of ours sends nothing of its own: it is as good as the one that it wraps. */
export function isOurs(fetch: object, sendsThrough: () => unknown): void {
  beneath.set(fetch as AnyFunction, sendsThrough);
}

/** Undefined: it is a stranger's. */
export function platformFetch(fetch: unknown): PlatformFetch | undefined {
  let at = fetch;
  for (let depth = 0; depth < 10 && typeof at === 'function'; depth += 1) {
    const ours = beneath.get(at);
    if (ours === undefined) return kindOf(at);
    at = ours();
  }
  return undefined;
}

/** A source text is long, and each attempt asks. */
const kinds: WeakMap<AnyFunction, PlatformFetch | 'stranger'> = new WeakMap();

/** Of this function itself: undefined, too, for what is around a platform's. */
export function kindOf(fetch: AnyFunction): PlatformFetch | undefined {
  let kind = kinds.get(fetch);
  if (kind === undefined) {
    kind = kindOfText(fetch) ?? 'stranger';
    kinds.set(fetch, kind);
  }
  return kind === 'stranger' ? undefined : kind;
}

function kindOfText(fetch: AnyFunction): PlatformFetch | undefined {
  const text = Function.prototype.toString.call(fetch);
  if (ofUndici.some((form) => form.test(text))) return 'undici';
  return isNative(fetch) || (deno.test(text) && fetch.name === 'fetch') ? 'other' : undefined;
}

const ofUndici: readonly RegExp[] = [
  // Node 20 to 26.
  /^(async )?function fetch\(input, init = undefined\) \{[^}]+ require\('internal\/deps\/undici\/undici'\);[^}]+\}\s+return fetchImpl\(input, init\);\s+\}$/,
  // The package.
  /^(async )?function fetch ?\(init, options = undefined\) \{\s+(try \{\s+return await|return) fetchImpl\(init, options\)/,
];

const deno = /^function fetch\(\.\.\.\w+\)\{return lazyFetch\(\)\.fetch\(\.\.\.new \w+\(\w+\)\)\}$/;

/** Browsers, Bun and workerd show no source. What `bind` or a Proxy makes has another name. */
export function isNative(fetch: AnyFunction): boolean {
  const text = Function.prototype.toString.call(fetch);
  return fetch.name === 'fetch' && /^function fetch\(\) \{\s+\[native code\]\s+\}$/.test(text);
}

/**
 * Whether a service worker may answer in place of the network: its answers do not tell what it has sent to get them.
 */
export function hasServiceWorker(): boolean {
  const { navigator } = globalThis as {
    readonly navigator?: { readonly serviceWorker?: { readonly controller?: unknown } };
  };
  const controller = navigator?.serviceWorker?.controller;
  return controller !== undefined && controller !== null;
}
