/** What runtimes tell of failures, and what they cannot do: from the data that their tests are held to. */

import { exceptions, type RuntimeName } from '../../test/runtimes/exceptions.js';
import {
  designed,
  differences,
  type FaultName,
  type Verdict,
  verdictOn,
} from '../../test/runtimes/verdicts.js';

const runtimes: readonly RuntimeName[] = ['Node', 'Bun', 'Deno', 'workerd', 'Chromium'];

/** Through fetch, which all of them have. */
export function verdictTable(): string {
  return [
    `| | ${runtimes.join(' | ')} |`,
    `| --- |${' --- |'.repeat(runtimes.length)}`,
    ...(Object.keys(designed) as FaultName[]).map((fault) => {
      const cells = runtimes.map((runtime) => inWords(verdictOn(runtime, 'fetch', fault)));
      return `| ${fault.replace('AbortSignal.timeout()', '`AbortSignal.timeout()`')} | ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}

function inWords(verdict: Verdict): string {
  if (verdict === 'aborted') return 'the end';
  if (verdict === 'attempt timeout') return 'again';
  if (verdict === 'handed over') return 'yours';
  if (verdict.class === 'final') return 'the end';
  return verdict.evidence === 'unsent' ? 'again, a POST too' : 'again';
}

/** Each reason once, with whom it is about. */
export function exceptionList(): string {
  return [
    ...differences.map(({ runtimes: where, clients, faults, reason }) =>
      line(where, clients, faults, reason),
    ),
    ...exceptions.map(({ runtimes: where, clients, scenarios, reason }) =>
      line(
        where,
        clients,
        scenarios.map((name) => `scenario “${name}”`),
        reason,
      ),
    ),
  ].join('\n');
}

function line(
  where: readonly string[],
  clients: readonly string[],
  what: readonly string[],
  reason: string,
): string {
  return `- ${where.join(', ')} (${clients.join(', ')}), ${what.join('; ')}: ${reason}`;
}
