/** What one policy decides, and why, for a day's worth of answers and failures; then one request through time. */

import type { Decision, ErrorOutcome, RequestFacts, ResponseOutcome } from '../src/index.js';
import { createRetrier, definePolicy, explain } from '../src/index.js';

const policy = definePolicy({
  maxRetries: 3,
  deadlineMs: 30_000,
  rules: [
    { match: 'POST /payments/:id', idempotent: true, name: 'payments' },
    { match: 'api.github.com', hints: 'github', name: 'github' },
    { match: '/health', retry: false, name: 'health' },
  ],
});

type Outcome = ResponseOutcome | ErrorOutcome;

const outcomes: readonly (readonly [string, Outcome])[] = [
  ['503', answered(503)],
  ['503, Retry-After: 3', answered(503, { 'Retry-After': '3' })],
  ['503, Retry-After: 120', answered(503, { 'Retry-After': '120' })],
  ['503, x-should-retry: false', answered(503, { 'x-should-retry': 'false' })],
  ['429', answered(429)],
  ['429, retry-after-ms: 250', answered(429, { 'retry-after-ms': '250' })],
  ['429, RateLimit: "day";r=0;t=20', answered(429, { ratelimit: '"day";r=0;t=20' })],
  ['501', answered(501)],
  ['404', answered(404)],
  ['connection refused', failed({ code: 'ECONNREFUSED', syscall: 'connect' })],
  ['connection reset', failed({ code: 'ECONNRESET', syscall: 'read' })],
  ['certificate expired', failed({ code: 'CERT_HAS_EXPIRED' })],
  ['HTTP/2 stream refused', failed({ code: 'ERR_HTTP2_STREAM_ERROR', message: 'NGHTTP2_REFUSED_STREAM' })],
];

const requests: readonly RequestFacts[] = [
  { method: 'GET', origin: 'https://api.example.com', path: '/users/7', keyed: false },
  { method: 'POST', origin: 'https://api.example.com', path: '/orders', keyed: false },
  { method: 'POST', origin: 'https://api.example.com', path: '/payments/7', keyed: false },
];

for (const request of requests) {
  const retrier = createRetrier(policy, { random: () => 0.5 });
  heading(`${request.method} ${request.path}, rule "${retrier.open(request).rule.name}"`);
  for (const [name, outcome] of outcomes) show(name, retrier.open(request).next(outcome, true));
}

heading('GET https://api.github.com/user, rule "github": its own headers are read');
show(
  '403, nothing left for 40 s',
  createRetrier(policy, { date: () => 1_773_144_000_000, random: () => 0.5 })
    .open({ method: 'GET', origin: 'https://api.github.com', path: '/user', keyed: false })
    .next(answered(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1773144040' }), true),
);

heading('One request through time: three blips, then an answer');
let now = 0;
const session = createRetrier(policy, { now: () => now, random: () => 0.5 }).open(
  requests[0] as RequestFacts,
);
const blips = [
  failed({ code: 'ECONNREFUSED' }),
  answered(503),
  answered(429, { 'retry-after': '2' }),
  answered(200),
];
for (const outcome of blips) {
  const decision = session.next(outcome, true);
  console.log(`  ${String(Math.round(now)).padStart(6)} ms  ${explain(decision)}`);
  if (decision.action === 'retry') now += decision.delayMs;
}

heading('An outage: every request fails; the budget of its origin ends the retries');
const retrier = createRetrier({}, { now: () => 0, random: () => 0.5 });
let retries = 0;
for (let request = 0; request < 1_000; request += 1) {
  const failing = retrier.open(requests[0] as RequestFacts);
  while (failing.next(answered(503), true).action === 'retry') retries += 1;
}
console.log(
  `  1,000 requests, ${retries} retries: ${((1_000 + retries) / 1_000).toFixed(3)} times the load, not 4\n`,
);

function answered(status: number, headers: Record<string, string> = {}): ResponseOutcome {
  return { kind: 'response', status, headers };
}

function failed({ message = '', ...properties }: Record<string, string>): ErrorOutcome {
  return { kind: 'error', error: Object.assign(new Error(message), properties) };
}

function show(name: string, decision: Decision): void {
  console.log(
    `  ${decision.action === 'retry' ? 'retry' : 'stop '}  ${name.padEnd(32)}  ${explain(decision)}`,
  );
}

function heading(text: string): void {
  console.log(`\n${text}\n${'-'.repeat(text.length)}`);
}
