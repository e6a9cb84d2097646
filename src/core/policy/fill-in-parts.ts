/** Settings of parts, filled in: of credentials, of the beginnings of streams, of hedges and adaptive attempt timeouts. */

import type { Hedge, LearntTimeout, LearntTimeoutOptions, Tail } from '../limits/latency/setting.js';
import {
  credentialsDefaults,
  hedgeDefaults,
  learntTimeoutDefaults,
  streamStartDefaults,
} from './defaults.js';
import type { Credentials, SettingsOptions } from './options.js';
import type { Settings } from './settings.js';
import { switched } from './switched.js';

export function fillCredentials(option: NonNullable<SettingsOptions['credentials']>): Credentials | false {
  return option && Object.freeze({ ...credentialsDefaults, ...option });
}

export function fillStreamStart(
  option: NonNullable<SettingsOptions['streamStart']>,
): Settings['streamStart'] {
  return switched(option, streamStartDefaults);
}

export function fillHedge(option: NonNullable<SettingsOptions['hedge']>): Hedge | false {
  const hedge = switched<Hedge>(option as boolean | Partial<Hedge>, hedgeDefaults);
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
  return typeof option === 'number' ? undefined : Object.freeze({ ...learntTimeoutDefaults, ...option });
}
