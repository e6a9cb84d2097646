/**
 * Answers that the caller drops unread, as code does that looks only at the status: once the garbage collector has taken
 * them, the platform gives their connections back, and nothing of ours keeps an answer from being collected.
 */

import { beforeEach, expect, test } from 'vitest';
import { answer, answerChunked } from '../../faults/lab.js';
import { openLab } from '../kit.js';
import { programsOf } from '../programs.js';
import { theSubject } from './subject.js';

const subject = await theSubject();
const { program, ways } = subject.dropping ?? { program: '', ways: [] };
const runWithClient = programsOf(subject.name);

beforeEach(({ skip }) => skip(ways.length === 0));

const requests = 10;
const eventStream = { 'content-type': 'text/event-stream' };

/** Source code, since a program of its own runs it: the policy, and what is asked. */
const rows: readonly (readonly [policy: string, asked?: string])[] = [
  ['{}'],
  ['{ deadlineMs: never }'],
  ['{ attemptTimeoutMs: never }'],
  ['{ attemptTimeoutMs: { quantile: 0.9, factor: 3, minMs: 60_000, maxMs: never } }'],
  ["{ deadlineMs: never, deadlineCovers: 'body' }"],
  ['{ deadlineMs: never, gate: true, hold: true }'],
  ["{ deadlineMs: never, gate: { whenShut: 'wait' } }"],
  ['{ deadlineMs: never, retryIf: async () => undefined, observe() {} }'],
  ['{ deadlineMs: never }', '{ signal: lasting.signal }'],
  ["{ deadlineMs: never, deadlineCovers: 'body' }", '{ signal: lasting.signal }'],
  ['{ attemptTimeoutMs: never }', '{ signal: new AbortController().signal }'],
  ['{ deadlineMs: never }', "{ method: 'PUT', body: () => 'text' }"],
  ['{ deadlineMs: never }', "{ method: 'PUT', body: () => new Blob(['text']).stream() }"],
  ['{ deadlineMs: never }', "{ method: 'PUT', body: new Blob(['text']).stream() }"],
  ['{ deadlineMs: never, ...after503 }', "{ headers: { 'x-first': '503' } }"],
  ["{ deadlineMs: never, deadlineCovers: 'body', ...after503 }", "{ headers: { 'x-first': '503' } }"],
  ['{ deadlineMs: never, maxRetries: 0 }', "{ headers: { 'x-first': '503' } }"],
  ['{ hedge: { afterMs: never / 2 } }'],
  ['{ hedge: { afterMs: 1 } }', "{ headers: { 'x-slow': '1' } }"],
  ['{ streamStart: {} }', "{ headers: { 'x-events': '1' } }"],
  ['{ wholeBodyBytes: 1_000 }', "{ headers: { 'x-chunked': '1' } }"],
  ['{ wholeBodyBytes: 1_000, deadlineMs: never }', "{ headers: { 'x-chunked': '1' } }"],
  [
    '{ wholeBodyBytes: 1_000, deadlineMs: never }',
    "{ headers: { 'x-chunked': '1' }, signal: lasting.signal }",
  ],
  ['{ streamStart: {}, deadlineMs: never }', "{ headers: { 'x-events': '1' } }"],
  ["{ hedge: { afterMs: 1 }, deadlineMs: never, deadlineCovers: 'body' }", "{ headers: { 'x-slow': '1' } }"],
  ['{ hedge: { afterMs: 1 }, deadlineMs: never }', "{ headers: { 'x-slow': '1' }, signal: lasting.signal }"],
];

test.each(ways)('over %s, nothing keeps their connections', async (way) => {
  // Too long for the buffers of a connection, so that it is busy until the body is read.
  const long = 'x'.repeat(200_000);
  const lab = await openLab(({ headers }) => {
    if (headers['x-first'] !== undefined && headers['x-retry-attempt'] === undefined)
      return answer(503, long);
    const { steps } =
      headers['x-chunked'] !== undefined
        ? answerChunked([long])
        : headers['x-events'] !== undefined
          ? answer(200, `data: {"a":1}\n\n${long}`, eventStream)
          : answer(200, long);
    return headers['x-slow'] === undefined ? { steps } : { steps: [{ do: 'wait', ms: 20 }, ...steps] };
  });
  const printed = await runWithClient(`
    import { setTimeout } from 'node:timers/promises';
    import { setFlagsFromString } from 'node:v8';
    import { runInNewContext } from 'node:vm';
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc');
    const origin = ${JSON.stringify(lab.origin)};
    const schedule = { kind: 'fixed', waitMs: 1, jitter: 'none' };
    const after503 = { attemptHeader: 'x-retry-attempt', budget: false, schedule };
    const lasting = new AbortController();
    ${program}
    const dropAll = async (policy, ask) => {
      const drop = dropping(policy, ${JSON.stringify(way)});
      for (let count = 0; count < ${requests}; count += 1) await drop(ask());
    };
    const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    const rows = [${rows.map(([policy, asked = '{}']) => `[${policy}, () => (${asked})]`)}];
    for (const [policy, ask] of rows) {
      await dropAll(policy, ask);
      // The collector may have come by itself, for some of them.
      const isBusy = sockets() > 0;
      for (let round = 0; round < 60 && sockets() > 0; round += 1) {
        await setTimeout(10);
        collectGarbage();
      }
      console.log(isBusy, sockets());
      if (sockets() > 0) break;
    }
    process.exit();`);
  const found = printed.split('\n').map((line, row) => [...(rows[row] ?? []), line]);
  expect(found).toEqual([...rows.map((row) => [...row, 'true 0']), ['']]);
});
