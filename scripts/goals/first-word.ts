/** The hold of a limit that is known to be for all: one refusal holds everybody. */

import type { PolicyOptions } from '../../src/core/options.js';
import { definePolicy } from '../../src/core/policy.js';

const asked = { refusedShare: 0 } as unknown as PolicyOptions['hold'];

function isKnown(): boolean {
  try {
    definePolicy({ hold: asked } as PolicyOptions);
    return true;
  } catch {
    return false;
  }
}

/** Before there was such a setting, every hold was like that. */
export const firstWord: NonNullable<PolicyOptions['hold']> = isKnown() ? (asked ?? true) : true;
