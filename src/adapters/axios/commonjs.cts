/**
 * axios has two sets of type declarations, and only a CommonJS declaration can add to the types of `require('axios')`.
 * The index reaches this file through the type that it exports; at run time the file is empty and never loaded.
 */

import type { AxiosRequestConfig } from 'axios';
import type { OverrideOptions } from '../../core/policy/options.js' with { 'resolution-mode': 'import' };

declare module 'axios' {
  interface AxiosRequestConfig {
    /** Settings for this request alone; they override those of the rule that it matches. */
    retry?: OverrideOptions | false;
  }
}

export type RequestOverride = NonNullable<AxiosRequestConfig['retry']>;
