/** How many decisions one core makes in a second. */

import type { Finding, Outcome, Settings, World } from '../src/index.js';
import { decide, definePolicy } from '../src/index.js';
import { fullBudget } from '../src/internal.js';
import type { Subject } from './measure.js';
import { measure, median, spreadOf } from './measure.js';
import type { Row } from './row.js';

const turns = 200_000;

export function benchDeciding(): Row[] {
  const { settings } = definePolicy({ deadlineMs: 30_000 }).fallback;
  const reset: Outcome = { kind: 'error', error: Object.assign(new Error('read'), { code: 'ECONNRESET' }) };
  const subjects = [
    deciding('a 503 that was classified', settings, {
      kind: 'response',
      class: 'transient',
      evidence: 'unknown',
      hint: undefined,
      aborted: false,
      status: 503,
    }),
    deciding('a fresh 503 with ten headers', settings, {
      kind: 'response',
      status: 503,
      headers: tenHeaders,
    }),
    deciding('a fresh 429 with Retry-After', settings, {
      kind: 'response',
      status: 429,
      headers: { ...tenHeaders, 'retry-after': '5' },
    }),
    deciding('a fresh 404', settings, { kind: 'response', status: 404, headers: tenHeaders }),
    deciding('a fresh ECONNRESET', settings, reset),
  ];
  return measure(subjects, turns).map((ns, index) => ({
    name: subjects[index]?.name ?? '',
    value: 1_000 / median(ns),
    unit: 'million/s',
    note: `${median(ns).toFixed(0)} ns, ±${(spreadOf(ns) * 100).toFixed(0)} %`,
  }));
}

const tenHeaders: Readonly<Record<string, string>> = {
  date: 'Tue, 10 Mar 2026 12:00:00 GMT',
  server: 'example',
  'content-type': 'application/json',
  'content-length': '17',
  connection: 'keep-alive',
  'keep-alive': 'timeout=5',
  vary: 'accept-encoding',
  'cache-control': 'no-store',
  'x-request-id': '8c2f6f5a',
  'strict-transport-security': 'max-age=31536000',
};

function deciding(name: string, settings: Settings, outcome: Outcome | Finding): Subject {
  const { budget } = settings;
  const world: World = {
    request: { method: 'GET', keyed: false },
    replayable: true,
    startedAt: 0,
    now: 10,
    date: Date.UTC(2026, 2, 10, 12),
    random: 0.5,
    budget: budget === false ? undefined : fullBudget(budget, 0),
    gateShut: false,
    verdict: undefined,
  };
  return {
    name,
    work(count) {
      let retries = 0;
      for (let turn = 0; turn < count; turn += 1) {
        if (decide(settings, [], outcome, world).action === 'retry') retries += 1;
      }
      return retries;
    },
  };
}
