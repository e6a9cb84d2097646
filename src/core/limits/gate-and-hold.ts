/**
 * The functions of the gate and the hold that a scope uses. A bundle may be made without the two (docs/runtimes.md).
 */

import { admit, isClear } from './admit.js';
import { afterSign } from './gate/gate.js';
import { isHealthy } from './gate/open.js';
import { asOf } from './gate/ramping.js';
import { isShut } from './gate/shut.js';
import { queueMs } from './hold/admit.js';
import { afterAnswer } from './hold/answers.js';
import { givePlaceBack } from './hold/queue.js';
import { afterRefusal, isRefusal } from './hold/refusals.js';

interface GateAndHold {
  readonly isClear: typeof isClear;
  readonly admit: typeof admit;
  readonly givePlaceBack: typeof givePlaceBack;
  readonly queueMs: typeof queueMs;
  readonly isShut: typeof isShut;
  readonly isRefusal: typeof isRefusal;
  readonly afterRefusal: typeof afterRefusal;
  readonly afterAnswer: typeof afterAnswer;
  readonly isHealthy: typeof isHealthy;
  readonly afterSign: typeof afterSign;
  readonly asOf: typeof asOf;
}

/** Empty if they are left out: then no settings have a gate or a hold, since filling in the settings refuses both. */
export const gateAndHold: GateAndHold =
  typeof __UNDAUNTED_GATE_AND_HOLD__ === 'undefined' || __UNDAUNTED_GATE_AND_HOLD__
    ? {
        ...{ isClear, admit, givePlaceBack, queueMs, isShut },
        ...{ isRefusal, afterRefusal, afterAnswer, isHealthy, afterSign, asOf },
      }
    : ({} as GateAndHold);
