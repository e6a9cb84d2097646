/** Every step of every request, to follow one by. */

import type { ErrorOutcome, ResponseOutcome } from '../../index.js';
import type { Exchange } from './exchange.js';
import type { Ending } from './tally.js';

/** What happened to it: it was sent, an outcome arrived, it was turned away, or it ended. */
export type Step = 'sent' | Ending | ResponseOutcome | ErrorOutcome | (string & {});

export type Trace = (now: number, exchange: Exchange, step: Step) => void;
