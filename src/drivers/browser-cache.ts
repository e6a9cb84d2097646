/**
 * Browsers answer a second GET of the same URL only once the head of the first has come, since it might be answered from
 * the cache: a hedge would never win. One that does not ask the cache is sent at once. Tried with Chromium 156.
 */
export function hasBrowserCache(method: string): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return method === 'GET' && navigator?.userAgent?.startsWith('Mozilla/') === true;
}

/** The cache mode of the hedge: its answer is still stored. */
export const pastTheCache = 'reload';
