/** The address of a request, which axios builds from `baseURL` and `url`. */

import { originIn, written } from '../../runtime/address.js';
import type { RequestConfig } from './shapes.js';

export type Whereabouts = Pick<RequestConfig, 'url' | 'baseURL' | 'allowAbsoluteUrls'>;

/** A scheme, or two slashes without a scheme. */
const absolute = /^([a-z][a-z\d+\-.]*:)?\/\//i;

function isRelative(url: string): boolean {
  // Fast path: nearly all URLs begin with a single slash.
  if (url.charCodeAt(0) === 47 && url.charCodeAt(1) !== 47) return true;
  return !absolute.test(url);
}

/** The base that `url` is appended to, if any. */
function baseOf({ url = '', baseURL, allowAbsoluteUrls }: Whereabouts): string | undefined {
  if (baseURL === undefined || baseURL === '') return undefined;
  return isRelative(url) || allowAbsoluteUrls === false ? baseURL : undefined;
}

/** The origin, as far as the address names one. */
export function originOf(whereabouts: Whereabouts): string | undefined {
  return originIn(baseOf(whereabouts) ?? whereabouts.url ?? '');
}

/** The URL without `params` and userinfo, absolute if possible. */
export function urlOf(whereabouts: Whereabouts): string {
  const { url = '' } = whereabouts;
  const base = baseOf(whereabouts);
  if (base === undefined) return written(url);
  return written(url === '' ? base : `${base.replace(/\/?\/$/, '')}/${url.replace(/^\/+/, '')}`);
}
