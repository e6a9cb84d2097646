/** The world as data: services in a row, each of which calls the next, their faults, and the clients of the first one. */

import type { Policy, PolicyOptions } from '../../index.js';
import type { Peer } from './peers.js';

/** What is compared: a policy of ours, or another library's way to retry. */
export type Contender = Policy | PolicyOptions | Peer;

export interface SimulatedWorld {
  readonly durationMs: number;
  /** Requests that start earlier are sent like the others, but left out of the percentiles. Default: 0. */
  readonly warmUpMs?: number;
  /** Clients call the first service, which calls the next before it answers, and so on. */
  readonly services: readonly [Service, ...Service[]];
}

export interface Service {
  readonly server: ServerModel;
  readonly faults?: readonly Fault[];
  /** How many connections its kernel accepts while the server is stopped. */
  readonly backlog?: number;
  /** The policy of its calls to the next service. Default: the policy of the clients. */
  readonly policy?: Contender;
  /** The path of the requests for which it calls the next service. Default: it does so for all. */
  readonly onward?: string;
  /** How long it waits for an answer of the next service, if its policy has no attempt timeout. */
  readonly timeoutMs?: number;
}

// ---------------------------------------------------------------- servers

/**
 * The more requests are in progress, the slower each of them is: an answer takes `baseMs`, and above `limit` requests
 * `baseMs` times `factor` ^ ((in progress - limit) / step), which is checked every `checkMs` while a request is there.
 */
export interface CrowdedServer {
  readonly kind: 'crowded';
  readonly baseMs: number;
  readonly limit: number;
  readonly factor: number;
  readonly step: number;
  readonly checkMs: number;
}

/** Handles `workers` requests at a time and queues `places` others; further requests get 503 at once. */
export interface QueueServer {
  readonly kind: 'queue';
  readonly workers: number;
  readonly places: number;
  /** How long a worker takes for an attempt. A number is the mean of an exponential distribution. */
  readonly serviceMs: number | DrawnLatency;
  /** A worker also waits for the answer of the next service. Default: it takes the next request meanwhile. */
  readonly waits?: boolean;
  /** The Retry-After of its refusals, in seconds. Default: none. */
  readonly retryAfter?: number | false;
}

/** An answer takes `baseMs`, and `eachMs` more for each request in progress when it arrives. */
export interface SlowingServer {
  readonly kind: 'slowing';
  readonly baseMs: number;
  readonly eachMs: number;
}

/** Answers 429 to requests above its limit. */
export interface LimitedServer {
  readonly kind: 'limited';
  readonly latencyMs: number;
  /** A bucket of `burst` tokens that fills at `perSecond`, or `permits` in each window of `windowMs`. */
  readonly limit:
    | { readonly perSecond: number; readonly burst: number }
    | { readonly permits: number; readonly windowMs: number };
  /** Retry-After in whole seconds: until the next permit (`'exact'`), a constant, or none. */
  readonly retryAfter: 'exact' | number | false;
  /** How long a refusal takes. Default: 0. */
  readonly refusalMs?: number;
  /** The status of its refusals. Default: 429. */
  readonly status?: number;
}

/** A brown-out: a share of the attempts fails, at random. */
export interface FlakyServer {
  readonly kind: 'flaky';
  readonly latencyMs: LatencyModel;
  readonly share: number;
  readonly status: number;
  /** The Retry-After of its failures, in seconds. Default: none. */
  readonly retryAfter?: number | false;
}

/**
 * Constant, or drawn for each attempt from a lognormal distribution: with a spread of 0.5, one in six takes longer than
 * 1.65 times the median, one in forty longer than 2.7 times, one in a thousand longer than 4.7 times.
 */
export type LatencyModel = number | DrawnLatency;

export interface DrawnLatency {
  readonly medianMs: number;
  readonly spread: number;
  /** Some attempts take many times as long. Default: none. */
  readonly tail?: LatencyTail;
}

export interface LatencyTail {
  readonly share: number;
  readonly times: number;
  /**
   * What is slow: an attempt, so that another one of the same request is likely to be fast, or the request itself,
   * which is slow whenever and wherever it is sent. Default: `'attempt'`.
   */
  readonly of?: 'attempt' | 'request';
}

/** Gives these answers in turn, and repeats the last one. */
export interface ScriptedServer {
  readonly kind: 'scripted';
  readonly answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]];
}

interface ScriptedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Read by policies whose hints look into bodies, or that wait for the beginnings of streams. */
  readonly body?: string;
}

export interface ScriptedAnswer {
  readonly afterMs?: number;
  /** No answer, a connection that is cut off or refused, bytes that are not HTTP, or a response. */
  readonly answer: 'silence' | 'reset' | 'refused' | 'garbage' | ScriptedResponse;
}

/** A server that is not made of others. */
export type PlainServer =
  | CrowdedServer
  | QueueServer
  | SlowingServer
  | LimitedServer
  | FlakyServer
  | ScriptedServer;

/**
 * Changes with time: a limit that is raised, a second of 503s. Each phase lasts until the next one starts, and a request
 * is answered by the phase in which it arrived.
 */
export interface ChangingServer {
  readonly kind: 'changing';
  /** The first one starts at 0 ms. */
  readonly phases: readonly [Phase, ...Phase[]];
  /** After this time, the first phase starts again. */
  readonly everyMs?: number;
}

export interface Phase {
  readonly fromMs: number;
  readonly server: PlainServer;
}

/** Several servers behind one origin: each attempt reaches one of them at random. */
export interface BalancedServer {
  readonly kind: 'balanced';
  readonly backends: readonly [Backend, ...Backend[]];
}

export interface Backend {
  /** Its share of the attempts, relative to the other weights. Default: 1. */
  readonly weight?: number;
  readonly server: PlainServer | ChangingServer;
}

/** Answers by path: a route that is broken, a tenant with a limit of its own. */
export interface RoutedServer {
  readonly kind: 'routed';
  readonly routes: readonly [ServedRoute, ...ServedRoute[]];
  /** For every other path. */
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
        /** SIGSTOP, and SIGCONT at the end: the server does not run, but its kernel accepts `backlog` connections. */
        readonly kind: 'stop';
        /** Every `everyMs`, it stops for `pauseMs`. Default: it stops once, for the whole time. */
        readonly pauses?: { readonly everyMs: number; readonly pauseMs: number };
      }
    | {
        /** Requests in progress are cut off, and connections are refused. */
        readonly kind: 'crash';
      }
    | {
        /** Requests in progress are cut off, and the next ones are accepted, as in a deploy. Once, or every `everyMs`. */
        readonly kind: 'reset';
        readonly everyMs?: number;
      }
    | {
        /** Everything takes this many times as long. */
        readonly kind: 'slow';
        readonly times: number;
      }
    | {
        /** The server is down for a while, up for a while, and so on. */
        readonly kind: 'flap';
        readonly downMs: number;
        readonly upMs: number;
      }
    | {
        /** A share of the answers never arrives, although the work is done. */
        readonly kind: 'lose';
        readonly share: number;
      }
  );

// ---------------------------------------------------------------- clients

export interface Crowd {
  readonly count: number;
  /** The clients are spread over this many processes. All crowds of a process share its retrier. Default: 1. */
  readonly processes?: number;
  /** How long they wait for an answer to one attempt, if the policy has no attempt timeout. */
  readonly timeoutMs?: number;
  /** Default: GET. A write that is applied twice is counted. */
  readonly method?: string;
  readonly keyed?: boolean;
  /** The paths of the requests, as rules see them; a tenant is a path, too. Default: `/` for all. */
  readonly routes?: readonly [RouteShare, ...RouteShare[]];
  /** The deadline that each request sets for itself; with other libraries, the client leaves at that time. */
  readonly deadlineMs?: number;
  /** Callers that abort early, which the policy cannot know in advance. */
  readonly leaving?: Leaving;
}

export interface RouteShare {
  readonly path: string;
  /**
   * The origin as rules and scopes see it, such as `https://api.github.com`; the requests still reach the scenario's
   * server. Default: `http://first.example`.
   */
  readonly origin?: string;
  /** Its share of the requests, relative to the other weights. */
  readonly weight: number;
  /** These requests cause the trouble; the others are innocent and counted separately. */
  readonly guilty?: boolean;
}

export interface Leaving {
  /** The share of the callers that leave. Default: 1, all of them. */
  readonly share?: number;
  readonly afterMs: number;
}

/** Each client thinks, sends a request, waits for the result, and thinks again. */
export interface ClosedLoop extends Crowd {
  readonly kind: 'closed';
  /** The mean of an exponential distribution. */
  readonly thinkMs: number;
  /** How many requests they send together: a job with a list of work. Default: they go on until the end. */
  readonly requests?: number;
}

/** Requests arrive independently of how the others end: a Poisson process, whose rate may change with time. */
export interface OpenLoop extends Crowd {
  readonly kind: 'open';
  readonly perSecond: number | readonly Rate[];
}

export interface Rate {
  readonly fromMs: number;
  readonly perSecond: number;
}

/** All clients send a request at the same moment, once or every `everyMs`: a scheduled job. */
export interface Burst extends Crowd {
  readonly kind: 'burst';
  readonly atMs: number;
  readonly everyMs?: number;
}

export type Clients = ClosedLoop | OpenLoop | Burst;

/** One crowd, or several at the same time. */
export type Crowds = Clients | readonly [Clients, ...Clients[]];

/** A world and its clients. */
export interface Day {
  readonly world: SimulatedWorld;
  readonly clients: Crowds;
}
