/** Every step of every request, for following a request. */

import type { ErrorOutcome, ResponseOutcome } from '../../index.js';
import type { Exchange } from './exchange.js';
import type { Ending } from './tally.js';

/** The request was sent, an outcome arrived, the request was refused, or it ended. */
export type Step = 'sent' | Ending | ResponseOutcome | ErrorOutcome | (string & {});

export type Trace = (now: number, exchange: Exchange, step: Step) => void;
