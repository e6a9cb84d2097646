/** How often to retry, and how long to wait. */

import type { PolicyOptions, ScheduleOptions, Settings } from '../../../../index.js';
import { schemes } from '../../../../schemes.js';
import { countText, valueText, waitText } from '../../numbers.js';
import type { Choice, ControlGroup, Slider } from './control.js';

const maxRetries: Slider = {
  kind: 'slider',
  label: 'Retries',
  stops: [0, 1, 2, 3, 4, 5, 6, 8, 10, 20],
  text: countText,
  value: (settings) => settings.maxRetries,
  // Beside it, `retry: false` would be a contradiction.
  move: ({ retry: _, ...policy }, value) => ({ ...policy, maxRetries: value }),
};

const waits = [1, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000];

type Waiting = Exclude<ScheduleOptions, (...args: never) => unknown>;

function written({ schedule }: PolicyOptions): Waiting {
  return typeof schedule === 'object' ? schedule : { kind: 'exponential' };
}

function exponentialOf({ schedule }: Settings) {
  return typeof schedule === 'object' && schedule.kind === 'exponential' ? schedule : undefined;
}

const kind: Choice = {
  kind: 'choice',
  label: 'Schedule',
  offers: [
    ['"exponential"', 'exponential'],
    ['"fixed"', 'fixed'],
    ['"table"', 'table'],
  ],
  value: ({ schedule }) => (typeof schedule === 'object' ? JSON.stringify(schedule.kind) : undefined),
  choose: (policy, json) => ({ ...policy, schedule: scheduleOfKind(JSON.parse(json) as Waiting['kind']) }),
};

function scheduleOfKind(name: Waiting['kind']): Waiting {
  if (name === 'exponential') return { kind: name };
  return name === 'fixed' ? { kind: name, waitMs: 1_000 } : schemes.schedules.statelessTable;
}

const firstWait: Slider = {
  kind: 'slider',
  label: 'First wait',
  stops: waits,
  text: waitText,
  value: ({ schedule }) => {
    if (typeof schedule !== 'object' || schedule.kind === 'table') return undefined;
    return schedule.kind === 'fixed' ? schedule.waitMs : schedule.firstMs;
  },
  move: (policy, value) => {
    const schedule = written(policy);
    if (schedule.kind === 'fixed') return { ...policy, schedule: { ...schedule, waitMs: value } };
    return schedule.kind === 'exponential'
      ? { ...policy, schedule: { ...schedule, firstMs: value } }
      : policy;
  },
};

const factor: Slider = {
  kind: 'slider',
  label: 'Factor',
  stops: [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 10],
  text: valueText,
  value: (settings) => exponentialOf(settings)?.factor,
  move: (policy, value) => ({
    ...policy,
    schedule: { ...written(policy), kind: 'exponential', factor: value },
  }),
};

const cap: Slider = {
  kind: 'slider',
  label: 'Longest wait',
  stops: [...waits, 300_000],
  text: waitText,
  value: (settings) => exponentialOf(settings)?.maxMs,
  move: (policy, value) => ({
    ...policy,
    schedule: { ...written(policy), kind: 'exponential', maxMs: value },
  }),
};

const jitter: Choice = {
  kind: 'choice',
  label: 'Jitter',
  offers: [
    ['"none"', 'none'],
    ['"full"', 'full: from 0 to the wait'],
    ['"equal"', 'equal: from half the wait to all of it'],
    ['"decorrelated"', 'decorrelated: up to three times the last'],
    ['{"spread":0.5}', '50 % more or less'],
  ],
  value: ({ schedule }) => (typeof schedule === 'object' ? JSON.stringify(schedule.jitter) : undefined),
  choose: (policy, json) => ({
    ...policy,
    schedule: { ...written(policy), jitter: JSON.parse(json) } as Waiting,
  }),
};

export const scheduleControls: ControlGroup = {
  title: 'Retries and waits',
  controls: [maxRetries, kind, firstWait, factor, cap, jitter],
};
