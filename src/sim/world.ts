/** The world as data: services that call each other in a row, what befalls them, and who calls the first one. */

import type { PolicyOptions } from '../core/options.js';
import type { Policy } from '../core/policy.js';
import type { Peer } from './peers.js';

/** What is compared: a policy of ours, or how somebody else does it. */
export type Contender = Policy | PolicyOptions | Peer;

export interface World {
  readonly durationMs: number;
  /** Clients call the first, which calls the next before it answers, and so on. */
  readonly services: readonly [Service, ...Service[]];
}

export interface Service {
  readonly server: ServerModel;
  readonly faults?: readonly Fault[];
  /** How many connections its kernel accepts for it while it does not run. */
  readonly backlog?: number;
  /** How it calls the next service: by the policy of the clients, if nothing else is said. */
  readonly policy?: Contender;
  /** How long it waits for an answer of the next service, where its policy does not say. */
  readonly timeoutMs?: number;
}

// ---------------------------------------------------------------- servers

/**
 * The more requests are in progress, the slower all of them: `baseMs`, above `limit` of them times
 * `factor` ^ ((in progress - limit) / step), looked at again every `checkMs` for as long as a request is there.
 */
export interface CrowdedServer {
  readonly kind: 'crowded';
  readonly baseMs: number;
  readonly limit: number;
  readonly factor: number;
  readonly step: number;
  readonly checkMs: number;
}

/** So many at a time, the others in a queue with so many places; who finds it full is told 503 at once. */
export interface QueueServer {
  readonly kind: 'queue';
  readonly workers: number;
  readonly places: number;
  /** Mean; exponentially distributed. */
  readonly serviceMs: number;
}

/** Takes `baseMs`, and `eachMs` more for each request that is in progress when one has arrived. */
export interface SlowingServer {
  readonly kind: 'slowing';
  readonly baseMs: number;
  readonly eachMs: number;
}

/** Answers 429 to what is above its rate. */
export interface LimitedServer {
  readonly kind: 'limited';
  readonly latencyMs: number;
  /** A bucket of `burst` tokens that fills at `perSecond`, or `permits` in each window of `windowMs`. */
  readonly limit:
    | { readonly perSecond: number; readonly burst: number }
    | { readonly permits: number; readonly windowMs: number };
  /** Retry-After in whole seconds: until there is a permit again, or always so many; or none at all. */
  readonly retryAfter: 'exact' | number | false;
}

/** A brown-out: fails a share of the requests. */
export interface FlakyServer {
  readonly kind: 'flaky';
  readonly latencyMs: number;
  readonly share: number;
  readonly status: number;
}

/** Gives these answers in turn, the last one again and again. */
export interface ScriptedServer {
  readonly kind: 'scripted';
  readonly answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]];
}

export interface ScriptedAnswer {
  readonly afterMs?: number;
  /** Nothing at all, a connection cut, none to be had, bytes that are no HTTP, or a response. */
  readonly answer:
    | 'silence'
    | 'reset'
    | 'refused'
    | 'garbage'
    | { readonly status: number; readonly headers?: Readonly<Record<string, string>> };
}

export type ServerModel =
  | CrowdedServer
  | QueueServer
  | SlowingServer
  | LimitedServer
  | FlakyServer
  | ScriptedServer;

// ---------------------------------------------------------------- faults

interface Lasting {
  readonly fromMs: number;
  readonly forMs: number;
}

export type Fault = Lasting &
  (
    | {
        /** SIGSTOP, and SIGCONT in the end: nothing runs, but the kernel accepts up to the backlog. */
        readonly kind: 'stop';
      }
    | {
        /** What is in progress is cut off, and connections are refused. */
        readonly kind: 'crash';
      }
    | {
        /** Everything takes so many times as long. */
        readonly kind: 'slow';
        readonly times: number;
      }
    | {
        /** Crashes for a while, runs for a while, and so on. */
        readonly kind: 'flap';
        readonly downMs: number;
        readonly upMs: number;
      }
    | {
        /** A share of the answers never arrives, although the work was done. */
        readonly kind: 'lose';
        readonly share: number;
      }
  );

// ---------------------------------------------------------------- clients

interface Crowd {
  readonly count: number;
  /** They are spread over so many processes, each with a retrier of its own. Default: 1. */
  readonly processes?: number;
  /** How long they wait for an answer to one attempt, where the policy does not say. */
  readonly timeoutMs?: number;
  /** Default: a GET. Writes are counted when they are applied twice. */
  readonly method?: string;
  readonly keyed?: boolean;
}

/** Each thinks, asks, waits for what comes of it, and thinks again. */
export interface ClosedLoop extends Crowd {
  readonly kind: 'closed';
  /** Mean; exponentially distributed. */
  readonly thinkMs: number;
}

/** They come as they come, whatever became of the others: a Poisson process, whose rate may change with time. */
export interface OpenLoop extends Crowd {
  readonly kind: 'open';
  readonly perSecond: number | readonly Rate[];
}

export interface Rate {
  readonly fromMs: number;
  readonly perSecond: number;
}

export type Clients = ClosedLoop | OpenLoop;
