/** All sliders and choices of the lab. */

import type { PolicyOptions } from '../../../../index.js';
import { countText, valueText, waitText } from '../../numbers.js';
import type { ControlGroup, Slider, Switch } from './control.js';
import { scheduleControls } from './schedule-controls.js';
import { attemptTimeoutControls, hedgeControls } from './tail-controls.js';

const deadlineControls: ControlGroup = {
  title: 'Deadline',
  switch: {
    isOn: ({ deadlineMs }) => deadlineMs !== undefined,
    turn: ({ deadlineMs: _, ...policy }, on) => (on ? { ...policy, deadlineMs: 10_000 } : policy),
  },
  controls: [
    {
      kind: 'slider',
      label: 'For the whole request',
      stops: [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000],
      text: waitText,
      value: ({ deadlineMs }) => deadlineMs,
      move: (policy, deadlineMs) => ({ ...policy, deadlineMs }),
    },
  ],
};

// ---------------------------------------------------------------- limits that requests share

type Shared = 'budget' | 'gate' | 'hold';

/** Switching off and on again goes back to the defaults: details that were set before are gone. */
function switchOf(key: Shared, whenOn: true | undefined): Switch {
  return {
    isOn: (settings) => settings[key] !== false,
    turn: ({ [key]: _, ...policy }, on) => {
      if (!on) return { ...policy, [key]: false };
      return whenOn === undefined ? policy : { ...policy, [key]: whenOn };
    },
  };
}

/** The details that the policy sets. */
function detailsOf(policy: PolicyOptions, key: Shared): object {
  const details = policy[key];
  return typeof details === 'object' ? details : {};
}

interface Detail {
  readonly key: Shared;
  readonly name: string;
  readonly label: string;
  readonly stops: readonly number[];
  readonly text: (value: number) => string;
}

function detail({ key, name, label, stops, text }: Detail): Slider {
  return {
    kind: 'slider',
    label,
    stops,
    text,
    value: (settings) => {
      const value: unknown = Reflect.get(Object(settings[key]), name);
      return typeof value === 'number' ? value : undefined;
    },
    move: (policy, value) => ({ ...policy, [key]: { ...detailsOf(policy, key), [name]: value } }),
  };
}

export const controlGroups: readonly ControlGroup[] = [
  scheduleControls,
  deadlineControls,
  attemptTimeoutControls,
  hedgeControls,
  {
    title: 'Budget',
    switch: switchOf('budget', undefined),
    controls: [
      detail({
        key: 'budget',
        name: 'capacity',
        label: 'Capacity',
        stops: [1, 2, 5, 10, 20, 50, 100, 200, 500],
        text: (tokens) => `${valueText(tokens)} retries`,
      }),
      detail({
        key: 'budget',
        name: 'perSuccess',
        label: 'Earned per success',
        stops: [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1],
        text: valueText,
      }),
    ],
  },
  {
    title: 'Gate',
    switch: switchOf('gate', true),
    controls: [
      detail({
        key: 'gate',
        name: 'failures',
        label: 'Shuts after',
        stops: [1, 2, 5, 10, 20, 50, 100, 200],
        text: (count) => `${countText(count)} failures`,
      }),
      detail({
        key: 'gate',
        name: 'probeMs',
        label: 'Probes every',
        stops: [100, 200, 500, 1_000, 2_000, 5_000, 10_000],
        text: waitText,
      }),
    ],
  },
  {
    title: 'Hold',
    switch: switchOf('hold', true),
    controls: [
      detail({
        key: 'hold',
        name: 'minMs',
        label: 'Shortest hint',
        stops: [0, 500, 1_000, 2_000, 5_000, 10_000],
        text: waitText,
      }),
    ],
  },
];
