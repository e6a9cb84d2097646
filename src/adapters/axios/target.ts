/** Where a request goes, as axios puts it together from `baseURL` and `url`. */

import { originIn, written } from '../../runtime/address.js';
import type { RequestConfig } from './shapes.js';

export type Whereabouts = Pick<RequestConfig, 'url' | 'baseURL' | 'allowAbsoluteUrls'>;

/** A scheme, or the two slashes of an address without one. */
const absolute = /^([a-z][a-z\d+\-.]*:)?\/\//i;

function isRelative(url: string): boolean {
  // Nearly all are: a slash that is not followed by another.
  if (url.charCodeAt(0) === 47 && url.charCodeAt(1) !== 47) return true;
  return !absolute.test(url);
}

/** What `url` is added to, if anything. */
function baseOf({ url = '', baseURL, allowAbsoluteUrls }: Whereabouts): string | undefined {
  if (baseURL === undefined || baseURL === '') return undefined;
  return isRelative(url) || allowAbsoluteUrls === false ? baseURL : undefined;
}

/** The part that names the server. */
export function originOf(whereabouts: Whereabouts): string | undefined {
  return originIn(baseOf(whereabouts) ?? whereabouts.url ?? '');
}

/** Absolute where it can be, without `params` and without userinfo. */
export function urlOf(whereabouts: Whereabouts): string {
  const { url = '' } = whereabouts;
  const base = baseOf(whereabouts);
  if (base === undefined) return written(url);
  return written(url === '' ? base : `${base.replace(/\/?\/$/, '')}/${url.replace(/^\/+/, '')}`);
}
