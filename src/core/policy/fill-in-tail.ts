/** The settings of hedges and of adaptive attempt timeouts, filled in. */

import type { Hedge, LearntTimeout, LearntTimeoutOptions, Tail } from '../limits/latency/setting.js';
import { defaults } from './defaults.js';
import type { SettingsOptions } from './options.js';
import type { Settings } from './settings.js';
import { switched } from './switched.js';

export function hedgeOf(option: NonNullable<SettingsOptions['hedge']>): Hedge | false {
  const hedge = switched<Hedge>(option as boolean | Partial<Hedge>, defaults.hedge);
  return hedge && Object.freeze({ ...hedge, methods: hedge.methods.map((name) => name.toUpperCase()) });
}

/** The inherited object, unless something differs: requests with the same one share what is learnt. */
export function tailOf(
  { attemptTimeoutMs, hedge: saidHedge }: SettingsOptions,
  { hedge }: Pick<Settings, 'hedge'>,
  inherited: Settings,
): Tail | undefined {
  if (attemptTimeoutMs === undefined && saidHedge === undefined) return inherited.tail;
  const timeout =
    attemptTimeoutMs === undefined ? inherited.tail?.timeout : learntTimeoutOf(attemptTimeoutMs);
  return hedge === false && timeout === undefined ? undefined : Object.freeze({ hedge, timeout });
}

function learntTimeoutOf(option: number | LearntTimeoutOptions): LearntTimeout | undefined {
  return typeof option === 'number' ? undefined : Object.freeze({ ...defaults.learntTimeout, ...option });
}
