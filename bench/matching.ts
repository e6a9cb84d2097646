/** What finding the rule of a request costs, by the number of rules. */

import type { Pattern } from '../src/core/policy/routes/patterns.js';
import { compileRoutes, type Routes } from '../src/core/policy/routes/routes.js';
import type { RequestFacts } from '../src/index.js';
import { isPatternProblem, parsePattern } from '../src/internal.js';
import { measure, median, ratioTo } from './measure.js';
import type { Row } from './row.js';

const counts = [1, 10, 100, 1_000] as const;
const turns = 20_000;
/** The cost with a thousand rules, relative to one rule. */
const mostRatio = 3;

export function benchMatching(): Row[] {
  const costs = measure(
    counts.map((count) => ({ name: named(count), work: matching(typicalApi(count)) })),
    turns,
  );
  const [one = []] = costs;
  return costs.map((ns, index) => ({
    name: named(counts[index] ?? 0),
    value: median(ns),
    unit: 'ns',
    ...(index > 0 && { ratio: ratioTo(named(1), ns, one) }),
    ...(index === counts.length - 1 && { atMost: mostRatio }),
  }));
}

function named(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'rule' : 'rules'}`;
}

function matching({ routes, requests }: Api): (count: number) => number {
  return (count) => {
    let found = 0;
    for (let turn = 0; turn < count; turn += 1) {
      const request = requests[turn % requests.length];
      if (request !== undefined && routes.match(request) >= 0) found += 1;
    }
    if (found < count / 2) throw new Error('Most of the requests should have a rule');
    return found;
  };
}

interface Api {
  readonly routes: Routes;
  /** Matches each rule in turn; every tenth request matches none. */
  readonly requests: readonly RequestFacts[];
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
const tails = ['', '/items', '/items/:item', '/settings/*'] as const;

/** Resources with a few methods and sub-resources; every third rule names a host. */
function typicalApi(count: number): Api {
  const texts = Array.from({ length: count }, (_, index) => {
    const method = methods[index % methods.length] ?? '';
    const tail = tails[Math.floor(index / methods.length) % tails.length] ?? '';
    const host =
      index % 3 === 0
        ? `${['api', 'files', 'admin'][index % 9 === 0 ? 0 : index % 2] ?? ''}.example.com`
        : '';
    return `${method} ${host}/v1/resource-${Math.floor(index / 16)}/:id${tail}`;
  });
  const length = Math.max(count, 100);
  const requests = Array.from({ length }, (_, index) => requestFor(texts[index % count] ?? ''));
  return {
    routes: compileRoutes(texts.map(patternOf)),
    requests: requests.map((request, index) =>
      index % 10 === 9 ? { ...request, path: unheardOf } : request,
    ),
  };
}

const unheardOf = '/v1/unheard-of/8c2f6f5a/items?page=2';

function requestFor(text: string): RequestFacts {
  const [method = '', target = ''] = text.split(' ');
  const slash = target.indexOf('/');
  const path = target.slice(slash).replaceAll(/:\w+/g, '8c2f6f5a').replace('*', 'colours/primary');
  return {
    method,
    origin: `https://${slash === 0 ? 'api.example.com' : target.slice(0, slash)}`,
    path: `${path}?verbose=true`,
    keyed: false,
  };
}

function patternOf(text: string): Pattern {
  const parsed = parsePattern(text);
  if (isPatternProblem(parsed)) throw new Error(`${text}: ${parsed.found}`);
  return parsed;
}
