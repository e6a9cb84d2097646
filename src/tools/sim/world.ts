/** The world as data: services that call each other in a row, what befalls them, and who calls the first one. */

import type { Policy, PolicyOptions } from '../../index.js';
import type { Peer } from './peers.js';

/** What is compared: a policy of ours, or another library's way. */
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
  /** How long a refusal takes. Default: no time. */
  readonly refusalMs?: number;
  /** Of its refusals. Default: 429. */
  readonly status?: number;
}

/** A brown-out: fails a share of the attempts, each by its own luck. */
export interface FlakyServer {
  readonly kind: 'flaky';
  readonly latencyMs: LatencyModel;
  readonly share: number;
  readonly status: number;
  /** What its failures say, in seconds. Default: nothing. */
  readonly retryAfter?: number | false;
}

/**
 * Always as long, or drawn for each attempt from a lognormal distribution: with a spread of 0.5, one in six takes
 * longer than 1.65 times the median, one in forty than 2.7 times, one in a thousand than 4.7 times.
 */
export type LatencyModel = number | { readonly medianMs: number; readonly spread: number };

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

/** A server of one piece. */
export type PlainServer =
  | CrowdedServer
  | QueueServer
  | SlowingServer
  | LimitedServer
  | FlakyServer
  | ScriptedServer;

/**
 * Becomes another one: a limit that is raised, a second of 503s. Each phase lasts until the next one begins, and what
 * is in progress is answered by the one in which it came.
 */
export interface ChangingServer {
  readonly kind: 'changing';
  /** The first from 0 ms. */
  readonly phases: readonly [Phase, ...Phase[]];
  /** After so long it begins again with the first. */
  readonly everyMs?: number;
}

export interface Phase {
  readonly fromMs: number;
  readonly server: PlainServer;
}

/** Several behind one origin: each attempt meets one of them by its own luck. */
export interface BalancedServer {
  readonly kind: 'balanced';
  readonly backends: readonly [Backend, ...Backend[]];
}

export interface Backend {
  /** Its share of the attempts, as the weights of all are to each other. Default: 1. */
  readonly weight?: number;
  readonly server: PlainServer | ChangingServer;
}

/** Answers by the path: one that is broken, one of a tenant with a limit of its own. */
export interface RoutedServer {
  readonly kind: 'routed';
  readonly routes: readonly [ServedRoute, ...ServedRoute[]];
  /** Every other path. */
  readonly otherwise: PlainServer | ChangingServer | BalancedServer;
}

export interface ServedRoute {
  readonly path: string;
  readonly server: PlainServer | ChangingServer | BalancedServer;
}

export type ServerModel = PlainServer | ChangingServer | BalancedServer | RoutedServer;

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
        /** What is in progress is cut off, and what comes next is taken: a deploy. Once, or every so often. */
        readonly kind: 'reset';
        readonly everyMs?: number;
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

export interface Crowd {
  readonly count: number;
  /** They are spread over so many processes, each with a retrier of its own, which all crowds share. Default: 1. */
  readonly processes?: number;
  /** How long they wait for an answer to one attempt, where the policy does not say. */
  readonly timeoutMs?: number;
  /** Default: a GET. Writes are counted when they are applied twice. */
  readonly method?: string;
  readonly keyed?: boolean;
  /** What for: by path, as rules see it. A tenant is a path, too. Default: `/` for all. */
  readonly routes?: readonly [RouteShare, ...RouteShare[]];
  /** What each request says for itself: other libraries are left then. */
  readonly deadlineMs?: number;
  /** A caller that does not wait so long: it aborts, which the policy cannot know before. */
  readonly leaving?: Leaving;
}

export interface RouteShare {
  readonly path: string;
  /** Its share of the requests, as the weights of all are to each other. */
  readonly weight: number;
  /** What becomes of these is their own fault: the others, which are counted apart, are innocent. */
  readonly guilty?: boolean;
}

export interface Leaving {
  /** Of the callers. Default: 1, all of them. */
  readonly share?: number;
  readonly afterMs: number;
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

/** All of them at once, and perhaps again every so often: a job that the clock starts. */
export interface Burst extends Crowd {
  readonly kind: 'burst';
  readonly atMs: number;
  readonly everyMs?: number;
}

export type Clients = ClosedLoop | OpenLoop | Burst;

/** One crowd, or several beside each other. */
export type Crowds = Clients | readonly [Clients, ...Clients[]];
