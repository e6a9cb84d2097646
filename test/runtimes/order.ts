/** What a runtime is asked to do, and what it says came of it: plain data, which travels as JSON. */

import type { PolicyOptions } from '../../src/index.js';
import type { RequestRecord } from '../conformance/record.js';
import type { Scenario } from '../conformance/scenario.js';

import type { BodyName } from './bodies.js';

export type ClientName = 'fetch' | 'axios over fetch' | 'axios over http' | 'axios over xhr';

/** Where the server is that a runtime sends its requests to. */
export interface Places {
  /** Tells what has arrived, and is told when to answer. */
  readonly control: string;
  readonly attempts: string;
  /** Nothing listens there. */
  readonly refused: string;
}

export interface ScenarioOrder {
  readonly kind: 'scenario';
  readonly client: ClientName;
  readonly places: Places;
  /** The names of all its attempts begin so. */
  readonly run: string;
  readonly scenario: Scenario;
}

export interface ScenarioReport {
  readonly records: readonly RequestRecord[];
}

/** One request to one address, with one fault in wait. */
export interface FaultOrder {
  readonly kind: 'fault';
  readonly client: ClientName;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly policy: PolicyOptions;
  readonly giveUp?: { readonly by: 'abort' | 'timeout'; readonly afterMs: number };
  readonly redirect?: 'manual';
}

export interface FaultReport {
  /** The status of an answer, or the error as the runtime says it, with its causes. */
  readonly got: number | string;
  /** Of an answer: what reading it ended with. */
  readonly read?: string;
  readonly decisions: readonly DecisionReport[] | undefined;
}

export interface DecisionReport {
  readonly reason: string;
  readonly class: string;
  readonly evidence: string;
}

/** One POST, which is answered with a 503 first. */
export interface UploadOrder {
  readonly kind: 'upload';
  readonly client: ClientName;
  readonly url: string;
  readonly body: BodyName;
  readonly policy: PolicyOptions;
}

export interface UploadReport {
  readonly got: number | string;
}

/** So many GETs, one after the other, of which every second attempt is cut in its body. */
export interface CutsOrder {
  readonly kind: 'cuts';
  readonly client: ClientName;
  readonly url: string;
  readonly requests: number;
  readonly policy: PolicyOptions;
}

export interface CutsReport {
  /** How many callers have got each text, or the error in its place. */
  readonly got: Readonly<Record<string, number>>;
}

export type Order = ScenarioOrder | FaultOrder | UploadOrder | CutsOrder;

interface Reports {
  readonly scenario: ScenarioReport;
  readonly fault: FaultReport;
  readonly upload: UploadReport;
  readonly cuts: CutsReport;
}

export type Report<O extends Order = Order> = Reports[O['kind']];
