/** Elasticsearch, gRPC-Web and Zendesk. */

import type { Hint } from '../../types.js';
import type { Answer } from '../answer.js';
import { property, textAt } from '../content.js';
import { longestDelayMs, parseDecimal } from '../decimal.js';
import { longest, malformed } from '../reading.js';
import { forbidden } from '../rulings.js';
import { linesOf, trimmed, valuesOf } from '../values.js';
import { again } from './again.js';

/** A circuit breaker that only an operator can reset is PERMANENT. Before version 7, rejections were a 503. */
export function elasticsearchRejection(answer: Answer): Hint | undefined {
  const error = property(answer.content(), 'error');
  if (textAt(error, 'durability') === 'PERMANENT') return forbidden;
  const type = textAt(error, 'type');
  const rejected = type === 'es_rejected_execution_exception' || type === 'circuit_breaking_exception';
  return rejected ? { delayMs: null, reason: 'elasticsearch-rejected' } : undefined;
}

const pushback = /^-?\d{1,10}$/;

/** gRFC A6: retry after exactly this time; if the value is negative or unreadable, do not retry. */
export function grpcPushback(answer: Answer): Hint | undefined {
  const field = answer.field('grpc-retry-pushback-ms');
  if (field === undefined || answer.field('grpc-status') === '0') return undefined;
  const text = linesOf(field).map(trimmed).join(',');
  const delayMs = pushback.test(text) ? parseDecimal(text, 1) : undefined;
  return delayMs === undefined ? forbidden : again('grpc-pushback', delayMs);
}

/** Zendesk sends one header per endpoint: `zendesk-ratelimit-tickets-index: total=100; remaining=0; resets=41`. */
export function zendeskEndpoints(answer: Answer): Hint | undefined {
  let hint: Hint | undefined;
  for (const name of answer.namesStartingWith('zendesk-ratelimit-')) {
    for (const value of valuesOf(answer.field(name) ?? [])) hint = longest(hint, zendeskEndpoint(value));
  }
  return hint;
}

function zendeskEndpoint(value: string): Hint {
  const parts = value.split(';', 8).map((part) => trimmed(part).split('=', 2));
  const numberOf = (key: string): number | undefined =>
    parseDecimal(parts.find(([name]) => name === key)?.[1] ?? '', 1000);
  const delayMs = numberOf('resets');
  if (delayMs === undefined) return malformed;
  if ((numberOf('remaining') ?? 0) >= 1000) return { delayMs: null, reason: 'ratelimit-not-exhausted' };
  return { delayMs: Math.min(delayMs, longestDelayMs), reason: 'zendesk-endpoint-reset' };
}
