/** The orders in which axios runs request interceptors, as values of `transitional`. */

import { axios } from './client.js';

/** Older versions have only one order and no such option. */
export const orderings: readonly object[] =
  'legacyInterceptorReqResOrdering' in Object(axios.defaults.transitional)
    ? [{ legacyInterceptorReqResOrdering: true }, { legacyInterceptorReqResOrdering: false }]
    : [{}];
