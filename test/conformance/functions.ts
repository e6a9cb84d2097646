/**
 * Policies with functions, which JSON cannot hold: a scenario names one, and what it has goes over the scenario's own
 * policy. One function serves all clients, and runs in any runtime.
 */

import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { ToldRequest } from '../../src/core/types.js';

interface Failure {
  readonly error?: string;
}

/** All that a function can know about the request. */
function readOut({ method, origin, path, url, keyed, header }: ToldRequest): string {
  return [method, origin, path, url, String(keyed), header('X-Tenant') ?? 'no tenant'].join(' ');
}

export const functions = {
  'the body says that it is an error': {
    retryIf: async (outcome) => (await outcome.body<Failure>())?.error === 'busy' || undefined,
  },
  'a header says that it is stale': {
    retryIf: (outcome) => outcome.header('X-Stale') === 'yes' || undefined,
  },
  'a header forbids it': {
    retryIf: ({ header }) => (header('x-final') === undefined ? undefined : false),
  },
  'new things appear late': {
    retryIf: (outcome, { path }) =>
      (outcome.kind === 'response' && outcome.status === 404 && path.startsWith('/new/')) || undefined,
  },
  'what a tenant may repeat': {
    retryIf: (_outcome, request) => (request.header('x-tenant') === 'strict' ? false : undefined),
  },
  'payments are never repeated': {
    idempotent: true,
    rules: [{ match: { test: (request) => request.path.startsWith('/payments') }, idempotent: false }],
  },
  'a rule for one tenant': {
    rules: [{ match: { test: ({ header }) => header('X-Tenant') === 'strict' }, retry: false }],
  },
  'a rule for one query': {
    rules: [{ match: { path: '/things', test: ({ path }) => path.endsWith('?dry=1') }, retry: false }],
  },
  'a scope for each tenant by path': { scope: ({ path }) => `tenant ${path.split('/')[2]}` },
  'a scope for each tenant by header': { scope: ({ header }) => `tenant ${header('x-tenant')}` },
  'a scope for all of an origin': { scope: ({ origin }) => origin ?? 'unknown' },
  'what beforeRetry is told': {
    beforeRetry: ({ request, headers, url, decision, history }) => {
      headers['x-told'] = readOut(request);
      headers['x-url'] = url;
      headers['x-decision'] = `${decision.attempt} ${decision.reason} of ${history.length}`;
    },
  },
  /** Each policy has a token of its own. */
  get 'a token that has expired'() {
    let token = 'old';
    return {
      credentials: {
        headers: () => ({ authorization: token }),
        renew: async () => {
          token = 'new';
        },
      },
    };
  },
  'what match.test is told': {
    rules: [
      {
        match: {
          test: (request) =>
            readOut(request) ===
            'PUT http://api.example.com /things?q=1 http://api.example.com/things?q=1 false seven',
        },
        maxRetries: 1,
      },
    ],
  },
} satisfies Readonly<Record<string, PolicyOptions>>;

export type FunctionsName = keyof typeof functions;

export function policyOf({
  policy,
  functions: name,
}: {
  readonly policy: PolicyOptions;
  readonly functions?: FunctionsName;
}): PolicyOptions {
  return name === undefined ? policy : { ...policy, ...functions[name] };
}
