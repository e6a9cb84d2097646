/** undici's request alone, with ours, and with what people stack around it by hand. */

import type { Dispatcher } from 'undici';
import { retry } from '../src/adapters/undici/index.js';
import { presets } from '../src/index.js';
import { labelOf as labelIn, type Packages, packagesIn, type Scratch } from './packages.js';
import { undici } from './undici-under-test.js';

export interface Contestant {
  readonly name: string;
  /** Sends one request, reads its answer to the end, and returns its status. */
  readonly send: (url: string) => Promise<number>;
}

/** The newest versions that run on Node 20. */
export const packages = {
  cockatiel: { version: '3.2.1', node: 20 },
  opossum: { version: '9.0.0', node: 20 },
} as const satisfies Packages;

export const names = {
  bare: 'bare request()',
  defaults: 'undaunted',
  service: 'undaunted, service',
  timeout: 'AbortSignal.timeout()',
  cockatiel: `${labelIn(packages, 'cockatiel')} wrap(retry, breaker, timeout)`,
  opossum: `${labelIn(packages, 'opossum')} with a timeout`,
} as const;

/** The parts of each that are called here. */
interface Peers {
  readonly cockatiel?: {
    readonly handleAll: object;
    readonly TimeoutStrategy: { readonly Aggressive: unknown };
    readonly ExponentialBackoff: new () => unknown;
    readonly ConsecutiveBreaker: new (failures: number) => unknown;
    retry(policy: object, options: object): object;
    circuitBreaker(policy: object, options: object): object;
    timeout(ms: number, strategy: unknown): object;
    wrap(...policies: readonly object[]): {
      execute<T>(send: (context: { readonly signal: AbortSignal }) => Promise<T>): Promise<T>;
    };
  };
  readonly opossum?: {
    readonly default: new (
      send: (url: string) => Promise<number>,
      options: object,
    ) => { fire(url: string): Promise<number>; shutdown(): void };
  };
}

const attemptTimeoutMs = 2_000;

export async function contestants(dispatcher: Dispatcher, scratch: Scratch): Promise<Contestant[]> {
  const { cockatiel, opossum }: Peers = await packagesIn(scratch, packages);
  const bare = statusFrom(dispatcher);
  const found: Contestant[] = [
    { name: names.bare, send: (url) => bare(url) },
    { name: names.defaults, send: statusFrom(dispatcher.compose(retry())) },
    { name: names.service, send: statusFrom(dispatcher.compose(retry(presets.policies.service))) },
    { name: names.timeout, send: (url) => bare(url, AbortSignal.timeout(attemptTimeoutMs)) },
  ];
  if (cockatiel !== undefined) {
    const { handleAll, TimeoutStrategy, ExponentialBackoff, ConsecutiveBreaker } = cockatiel;
    const policy = cockatiel.wrap(
      cockatiel.retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() }),
      cockatiel.circuitBreaker(handleAll, {
        halfOpenAfter: 10_000,
        breaker: new ConsecutiveBreaker(5),
      }),
      cockatiel.timeout(attemptTimeoutMs, TimeoutStrategy.Aggressive),
    );
    found.push({
      name: names.cockatiel,
      send: (url) => policy.execute(({ signal }) => bare(url, signal)),
    });
  }
  if (opossum !== undefined) {
    const breaker = new opossum.default((url) => bare(url), { timeout: attemptTimeoutMs });
    found.push({ name: names.opossum, send: (url) => breaker.fire(url) });
  }
  return found;
}

function statusFrom(dispatcher: Dispatcher): (url: string, signal?: AbortSignal) => Promise<number> {
  return async (url, signal) => {
    const options = signal === undefined ? { dispatcher } : { dispatcher, signal };
    const { statusCode, body } = await undici.request(url, options);
    await body.text();
    return statusCode;
  };
}
