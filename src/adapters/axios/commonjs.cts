/**
 * axios declares itself twice, and what `require('axios')` gives, only a CommonJS declaration can add to. The
 * index reaches it through the type that it exports; at run time there is nothing in it, and nobody loads it.
 */

import type { AxiosRequestConfig } from 'axios';
import type { OverrideOptions } from '../../core/policy/options.js' with { 'resolution-mode': 'import' };

declare module 'axios' {
  interface AxiosRequestConfig {
    /** What this one request says for itself; lies over the rule that it matches. */
    retry?: OverrideOptions | false;
  }
}

export type RequestOverride = NonNullable<AxiosRequestConfig['retry']>;
