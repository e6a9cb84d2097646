/** The address of a request, which axios builds from `baseURL` and `url`. */

import { originIn, written } from '../../kernel/address.js';
import type { RequestConfig } from './shapes.js';

export type Whereabouts = Pick<RequestConfig, 'url' | 'baseURL' | 'allowAbsoluteUrls'>;

/** A scheme, or two slashes without a scheme. */
const absolute = /^([a-z][a-z\d+\-.]*:)?\/\//i;

function isRelative(url: string): boolean {
  // Fast path: nearly all URLs begin with a single slash.
  if (url.charCodeAt(0) === 47 && url.charCodeAt(1) !== 47) return true;
  return !absolute.test(url);
}

/** axios takes every value that is not true for none, and any object that has a text. */
export function textOf(value: unknown): string {
  return value ? String(value) : '';
}

/** The base that `url` is appended to, if any. */
function baseOf(url: string, { baseURL, allowAbsoluteUrls }: Whereabouts): string {
  const base = textOf(baseURL);
  return base !== '' && (allowAbsoluteUrls === false || isRelative(url)) ? base : '';
}

/** The origin, as far as the address names one. */
export function originOf(whereabouts: Whereabouts): string | undefined {
  const url = textOf(whereabouts.url);
  return originIn(baseOf(url, whereabouts) || url);
}

/** The URL without `params` and userinfo, absolute if possible. */
export function urlOf(whereabouts: Whereabouts): string {
  const url = textOf(whereabouts.url);
  const base = baseOf(url, whereabouts);
  if (base === '') return written(url);
  return written(url === '' ? base : `${base.replace(/\/?\/$/, '')}/${url.replace(/^\/+/, '')}`);
}
