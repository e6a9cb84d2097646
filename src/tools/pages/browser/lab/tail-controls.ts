/** What to do about slow answers: the attempt timeout, and hedges. */

import type { PolicyOptions } from '../../../../index.js';
import { valueText, waitText } from '../../numbers.js';
import type { Choice, ControlGroup, Slider } from './control.js';

// ---------------------------------------------------------------- the attempt timeout

const usualMs = 2_000;

function longestOf({ attemptTimeoutMs = usualMs }: PolicyOptions): number {
  return typeof attemptTimeoutMs === 'number' ? attemptTimeoutMs : attemptTimeoutMs.maxMs;
}

const longest: Slider = {
  kind: 'slider',
  label: 'For one attempt',
  stops: [100, 200, 500, 1_000, 2_000, 5_000, 10_000],
  text: waitText,
  value: ({ attemptTimeoutMs }) => attemptTimeoutMs,
  move: (policy, maxMs) => {
    const { attemptTimeoutMs } = policy;
    const isLearnt = typeof attemptTimeoutMs === 'object';
    return { ...policy, attemptTimeoutMs: isLearnt ? { ...attemptTimeoutMs, maxMs } : maxMs };
  },
};

const learning: Choice = {
  kind: 'choice',
  label: 'Adaptive',
  offers: [
    ['"fixed"', 'no: fixed'],
    ['{"quantile":0.95,"factor":2}', 'yes: 2x the 95th percentile'],
    ['{"quantile":0.5,"factor":4}', 'yes: 4x the median'],
  ],
  value: ({ attemptTimeoutMs, tail }) => {
    if (attemptTimeoutMs === undefined) return undefined;
    if (tail?.timeout === undefined) return '"fixed"';
    const { quantile, factor } = tail.timeout;
    return JSON.stringify({ quantile, factor });
  },
  choose: (policy, json) => {
    const maxMs = longestOf(policy);
    const chosen: unknown = JSON.parse(json);
    return { ...policy, attemptTimeoutMs: typeof chosen === 'object' ? { ...chosen, maxMs } : maxMs };
  },
};

export const attemptTimeoutControls: ControlGroup = {
  title: 'Attempt timeout',
  switch: {
    isOn: ({ attemptTimeoutMs }) => attemptTimeoutMs !== undefined,
    turn: ({ attemptTimeoutMs: _, ...policy }, on) =>
      on ? { ...policy, attemptTimeoutMs: usualMs } : policy,
  },
  controls: [longest, learning],
};

// ---------------------------------------------------------------- hedges

/** The details that the policy sets. */
function detailsOf({ hedge }: PolicyOptions): object {
  return typeof hedge === 'object' ? hedge : {};
}

const factor: Slider = {
  kind: 'slider',
  label: 'Sent after',
  stops: [1, 1.5, 2, 3, 4, 5, 6, 8, 10, 20],
  text: (times) => `${valueText(times)}x the median`,
  // After a fixed time, or another quantile, it would say something else.
  value: ({ hedge }) =>
    hedge === false || hedge.afterMs !== undefined || hedge.quantile !== 0.5 ? undefined : hedge.factor,
  move: (policy, value) => ({ ...policy, hedge: { ...detailsOf(policy), factor: value } }),
};

const share: Slider = {
  kind: 'slider',
  label: 'At most',
  stops: [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.5, 1],
  text: (value) => `${valueText(100 * value)} % of requests`,
  value: ({ hedge }) => (hedge === false ? undefined : hedge.share),
  move: (policy, value) => ({ ...policy, hedge: { ...detailsOf(policy), share: value } }),
};

export const hedgeControls: ControlGroup = {
  title: 'Hedge',
  switch: {
    isOn: ({ hedge }) => hedge !== false,
    turn: ({ hedge: _, ...policy }, on) => (on ? { ...policy, hedge: true } : policy),
  },
  controls: [factor, share],
};
