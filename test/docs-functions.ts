/**
 * The functions of policies in the docs' code blocks: whether they are called, and what they return. What a block does
 * not call itself is called by a request that is made here.
 */

import { withRetry } from '../src/adapters/fetch/index.js';
import type { PolicyOptions } from '../src/index.js';

export interface SeenFunction {
  readonly name: string;
  readonly returned: unknown[];
}

const named: ReadonlySet<string> = new Set([
  'retryIf',
  'beforeRetry',
  'observe',
  'scope',
  'test',
  'generate',
  'schedule',
  'throttledSchedule',
]);

let functions: SeenFunction[] = [];
let policies: object[] = [];

/** An exported function of ours, whose arguments are looked through for functions of a policy. */
export function watched<Given extends unknown[], Made>(own: (...given: Given) => Made) {
  return (...given: Given): Made => {
    const seen = given.map((value) => (isPlain(value) ? policyWatched(value) : value));
    return own(...(seen as Given));
  };
}

function policyWatched(policy: object): object {
  const before = functions.length;
  const seen = partWatched(policy);
  if (functions.length > before) policies.push(seen);
  return seen;
}

function partWatched(part: object): object {
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (typeof value === 'function' && named.has(key)) return [key, functionWatched(key, value)];
      if (Array.isArray(value)) return [key, value.map((one) => (isPlain(one) ? partWatched(one) : one))];
      return [key, isPlain(value) ? partWatched(value) : value];
    }),
  );
}

function functionWatched(name: string, own: (...given: unknown[]) => unknown) {
  const seen: SeenFunction = { name, returned: [] };
  functions.push(seen);
  return (...given: unknown[]): unknown => {
    const returned = own(...given);
    seen.returned.push(returned);
    return returned;
  };
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A request for a block that only defines its functions. */
interface Visit {
  /** A part of the block. */
  readonly of: string;
  readonly url: string;
  readonly answers: readonly (readonly [status: number, headers?: Readonly<Record<string, string>>])[];
}

const visits: readonly Visit[] = [
  { of: "path.startsWith('/new/')", url: 'https://api.example.com/new/7?q=1', answers: [[404], [200]] },
  { of: "path.split('/')[2]", url: 'https://api.example.com/tenants/7/things', answers: [[200]] },
  {
    of: "header('x-report')",
    url: 'https://api.example.com/reports/7',
    answers: [[200, { 'x-report': 'not ready' }], [200]],
  },
  { of: 'observe(event)', url: 'https://api.example.com/things', answers: [[503], [200]] },
];

/** To be called before a block runs. */
export function forget(): void {
  functions = [];
  policies = [];
}

/** The functions of the block that has run, once all of them that can be called have been. */
export async function calledIn(code: string): Promise<readonly SeenFunction[]> {
  const isUncalled = functions.some(({ returned }) => returned.length === 0);
  for (const policy of isUncalled ? policies : []) {
    for (const visit of visits) if (code.includes(visit.of)) await pay(visit, policy);
  }
  return Promise.all(
    functions.map(async ({ name, returned }) => ({ name, returned: await Promise.all(returned) })),
  );
}

async function pay({ url, answers }: Visit, policy: PolicyOptions): Promise<void> {
  let sent = 0;
  const ask = async (_: string): Promise<Response> => {
    const [status, headers = {}] = answers[Math.min(sent, answers.length - 1)] ?? [200];
    sent += 1;
    return new Response('', { status, headers });
  };
  await withRetry(ask, policy)(url);
}
