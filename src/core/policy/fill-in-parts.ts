/** Settings of parts, filled in: of credentials, of the beginnings of streams, of hedges and adaptive attempt timeouts. */

import type { HintedSuccess } from '../hints/hint-set.js';
import { bodyBytesOf, successesOf } from '../hints/worth-reading.js';
import { awaitsBody, needsAdmission } from '../limits/all.js';
import type { Hedge, LearntTimeout, LearntTimeoutOptions } from '../limits/latency/setting.js';
import {
  credentialsDefaults,
  hedgeDefaults,
  learntTimeoutDefaults,
  streamStartDefaults,
} from './defaults.js';
import type { Credentials, SettingsOptions } from './options.js';
import type { Settled } from './parts.js';
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

function learntTimeoutOf(option: number | LearntTimeoutOptions): LearntTimeout | undefined {
  return typeof option === 'number' ? undefined : Object.freeze({ ...learntTimeoutDefaults, ...option });
}

// ---------------------------------------------------------------- what follows from them for the settings, filled in

export function settledByAdmission(
  filled: Settings,
  forbids: Settings['forbids'],
): Pick<Settings, 'forbids' | 'needsAdmission' | 'awaitsBody'> {
  return { forbids, needsAdmission: needsAdmission(filled), awaitsBody: awaitsBody(filled) };
}

/** The inherited object, unless something differs: requests with the same one share what is learnt. */
export const settledByLearning: Settled = ({ hedge }, { attemptTimeoutMs, hedge: saidHedge }, { tail }) => {
  if (attemptTimeoutMs === undefined && saidHedge === undefined) return { tail };
  const timeout = attemptTimeoutMs === undefined ? tail?.timeout : learntTimeoutOf(attemptTimeoutMs);
  const isOff = hedge === false && timeout === undefined;
  return { tail: isOff ? undefined : Object.freeze({ hedge, timeout }) };
};

/** `bodyHintBytes` follows from the sets, unless it is set. */
export const settledByBodyHints: Settled = (filled, options, inherited, { hints: { sets }, bodyHints }) => {
  const names = [options.hints || []].flat();
  const { hintedSuccesses, bodyHintBytes } =
    options.hints === undefined
      ? inherited
      : { hintedSuccesses: successesOf(names, sets), bodyHintBytes: bodyBytesOf(names, sets) };
  const givenBodyHintBytes = options.bodyHintBytes ?? inherited.givenBodyHintBytes;
  return {
    bodies: bodyHints?.bodies,
    hintedSuccesses,
    bodyHintBytes: givenBodyHintBytes ?? bodyHintBytes,
    givenBodyHintBytes,
    ...settledByWholeAnswers({ ...filled, hintedSuccesses }),
  };
};

export function settledByWholeAnswers({
  wholeBodyBytes,
  hintedSuccesses,
}: Pick<Settings, 'wholeBodyBytes' | 'hintedSuccesses'>): Pick<Settings, 'keepsUntilWhole'> {
  return { keepsUntilWhole: wholeBodyBytes > 0 || hintedSuccesses.some(readsWhole) };
}

function readsWhole({ readsBody }: HintedSuccess): boolean {
  return readsBody === true;
}
