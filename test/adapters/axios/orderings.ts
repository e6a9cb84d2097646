/** The orders in which axios runs request interceptors, as `transitional` says them. */

import { axios } from './client.js';

/** Older versions know only one, which goes without saying. */
export const orderings: readonly object[] =
  'legacyInterceptorReqResOrdering' in Object(axios.defaults.transitional)
    ? [{ legacyInterceptorReqResOrdering: true }, { legacyInterceptorReqResOrdering: false }]
    : [{}];
