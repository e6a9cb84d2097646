/** What a request says for itself beside the client's own options: `retry: false`, or settings. */

import type { OverrideOptions } from '../core/policy/options.js';

const off: OverrideOptions = Object.freeze({ retry: false });

export function overrideFrom(given: OverrideOptions | false | undefined): OverrideOptions | undefined {
  return given === false ? off : given;
}
