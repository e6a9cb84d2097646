/** The parts of an installation, as far as the kernel knows them: the limits that are asked, and what learns from answers. */

import type { Filling, Part, Parts } from '../core/policy/parts.js';
import type { Advice } from './advice.js';
import type { RequestCredentials } from './credentials.js';
import type { ChannelsPart } from './events.js';
import type { Layers } from './layers.js';
import type * as admission from './limits/admission.js';
import type { LimitParts } from './limits/limits.js';
import type { moveTo, scopeNameFrom } from './moves.js';
import type { Race } from './race.js';

/** What each limit needs that is asked before an attempt. */
export interface Admission extends Filling<'admission'> {
  readonly asked: Pick<
    typeof admission,
    | 'admit'
    | 'admitHedge'
    | 'attemptEnded'
    | 'end'
    | 'failed'
    | 'leave'
    | 'noRefusals'
    | 'onTurn'
    | 'refusal'
    | 'seen'
    | 'succeeded'
    | 'succeededAtOnce'
  >;
}

export interface Learning extends Filling<'learning'> {
  readonly Race: typeof Race;
}

/** What the kernel needs for the functions of a policy that are told of the request. */
export interface HooksPart extends Part<'hooks'> {
  readonly scopeNameFrom: typeof scopeNameFrom;
  readonly moveTo: typeof moveTo;
}

/** Renews the credentials of requests that were refused. */
export interface CredentialsPart extends Filling<'credentials'> {
  readonly RequestCredentials: typeof RequestCredentials;
}

export interface KernelParts extends Omit<Parts, keyof LimitParts>, LimitParts {
  readonly credentials?: CredentialsPart;
  readonly hooks?: HooksPart;
  readonly advice?: Advice;
  readonly layers?: Layers;
  readonly channels?: ChannelsPart;
  readonly admission?: Admission;
  readonly learning?: Learning;
}
