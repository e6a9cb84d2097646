/** Policies with small limits per scope: the budget is spent, or the gate shut, after a few requests. */

import type { PolicyOptions } from '../../src/core/policy/options.js';
import { soon } from './kit.js';

export const lean: PolicyOptions = {
  ...soon,
  maxRetries: 9,
  budget: { capacity: 3, perSuccess: 1, perSecond: 0 },
};

export const gated: PolicyOptions = {
  ...soon,
  maxRetries: 0,
  budget: false,
  gate: { failures: 2, deadForMs: 0, probeMs: 1_000, rampMs: 1_000 },
};

/** Its requests wait for the gate. */
export const patient: PolicyOptions = {
  ...gated,
  deadlineMs: 60_000,
  gate: { failures: 1, deadForMs: 0, probeMs: 100, rampMs: 1_000, whenShut: 'wait', maxWaiting: 2 },
};
