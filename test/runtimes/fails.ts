/** Every fault as each client of a runtime really meets it: what is decided, and how often the server is asked. */

import { describe, expect, test } from 'vitest';
import { type Fault, faults } from './faults.js';
import type { ClientName, FaultOrder, FaultReport } from './order.js';
import type { Runtime } from './runtime.js';
import { type Verdict, verdictOn } from './verdicts.js';

const soon = { maxRetries: 1, schedule: { kind: 'fixed', waitMs: 1, jitter: 'none' } } as const;

export function failsThere(runtime: Omit<Runtime, 'server'>): void {
  describe.each(runtime.clients)('%s', (client) => {
    const some = faults.filter(({ clients }) => clients?.includes(client) ?? true);
    describe.each(some.map((fault) => [fault.name, fault] as const))('%s', (_name, fault) => {
      test.each(['GET', 'POST'] as const)('%s', async (method) => {
        const { report, requests } = await met(runtime, client, fault, method);
        const expected = verdictOn(runtime.name, client, fault.name);
        const attempts = report.decisions?.map(({ reason, class: cls, evidence }) => ({
          reason,
          verdict: verdictIn(reason, cls, evidence, method),
        }));
        expect(attempts, `of ${report.got}`).toEqual(attemptsOf(expected, method));
        if (requests !== undefined)
          expectRequests(requests, (attempts?.length ?? 0) * (fault.hops ?? 1), expected);
        if (expected === 'handed over') expect(report.read).not.toBe('all of it');
      });
    });
  });
}

/** What a time or the caller has ended may not have got as far as the server. */
function expectRequests(requests: number, attempts: number, verdict: Verdict): void {
  if (verdict === 'aborted' || verdict === 'attempt timeout') expect(requests).toBeLessThanOrEqual(attempts);
  else expect(requests).toBe(attempts);
}

async function met(
  { host }: Pick<Runtime, 'host'>,
  client: ClientName,
  fault: Fault,
  method: 'GET' | 'POST',
): Promise<{ report: FaultReport; requests: number | undefined }> {
  const lab = await fault.make();
  try {
    const url = (await fault.url?.()) ?? `${lab?.origin}/`;
    const { policy, ...options } = fault.options ?? {};
    const order: FaultOrder = {
      kind: 'fault',
      client,
      url,
      method,
      policy: { ...soon, ...policy },
      ...options,
    };
    const report = await host().ask(order);
    // If the handshake fails, there is no request yet.
    return { report, requests: lab?.origin.startsWith('https:') ? undefined : lab?.requests.length };
  } finally {
    await lab?.close();
  }
}

interface Attempt {
  readonly reason: string;
  readonly verdict: Verdict | string;
}

/** A POST is sent again only if it is proven that it was not taken. For a GET, nothing has to be proven. */
function attemptsOf(verdict: Verdict, method: 'GET' | 'POST'): readonly Attempt[] {
  if (verdict === 'aborted') return [{ reason: 'aborted', verdict }];
  if (verdict === 'handed over') return [{ reason: 'success', verdict }];
  if (verdict !== 'attempt timeout' && verdict.class === 'final') return [{ reason: 'final-error', verdict }];
  const isUnsent = verdict !== 'attempt timeout' && verdict.evidence !== 'unknown';
  if (method === 'POST' && !isUnsent) return [{ reason: 'unsafe-method', verdict: proven(verdict) }];
  const isProven =
    method === 'POST' ? proven(verdict) : { ...Object(proven(verdict)), evidence: 'not needed' };
  return [reasonOf(verdict), 'retries-spent'].map((reason) => ({ reason, verdict: isProven }));
}

function reasonOf(verdict: Verdict): string {
  if (verdict === 'attempt timeout') return 'attempt-timeout';
  return typeof verdict === 'object' && verdict.class === 'throttled' ? 'throttled' : 'transport-error';
}

/** A timeout proves as little as a reset. */
function proven(verdict: Verdict): Verdict {
  return verdict === 'attempt timeout' ? { class: 'transient', evidence: 'unknown' } : verdict;
}

function verdictIn(reason: string, cls: string, evidence: string, method: string): Attempt['verdict'] {
  if (reason === 'aborted') return 'aborted';
  if (reason === 'success') return 'handed over';
  const isNeeded = method === 'POST' || cls === 'final';
  return { class: cls, evidence: isNeeded ? evidence : 'not needed' } as Verdict;
}
