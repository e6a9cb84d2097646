/** Hedges in the loop, in every order in which two attempts can end. */

import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { begin } from '../../../src/drivers/loop/begin.js';
import type { RequestEvent } from '../../../src/index.js';
import { AttemptTimeoutError, DeadlineError, historyOf } from '../../../src/index.js';
import { type Answer, type Sent, Toy } from './toy.js';

const afterMs = 50;
/** How long a loser may go on. */
const loserMs = 2_000;
const hedge: NonNullable<PolicyOptions['hedge']> = { afterMs, share: 1 };
const failed = Object.assign(new Error('reset'), { code: 'ECONNRESET' });

/** An attempt that the test ends. */
interface Open extends Sent {
  answer(status: number): Answer;
  fail(error: Error): void;
  hasFailed: boolean;
}

interface Scene {
  readonly toy: Toy;
  readonly open: Open[];
  readonly events: RequestEvent[];
  readonly caller: AbortController;
  /** Begins the request: its answer, or its error. */
  begin(): Promise<unknown>;
  /** Begins the request, and waits for its hedge. */
  hedged(): Promise<{ readonly end: Promise<unknown>; readonly first: Open; readonly second: Open }>;
}

/** `onSend` is called while an attempt is being sent. */
function scene(
  policy: PolicyOptions = {},
  onSend = (_it: Pick<Scene, 'open' | 'caller'>): void => undefined,
): Scene {
  const open: Open[] = [];
  const events: RequestEvent[] = [];
  const caller = new AbortController();
  const fetch = (sent: Sent): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const answer = (status: number): Answer => {
        const it = { status };
        resolve(it);
        return it;
      };
      const fail = (error: Error): void => {
        attempt.hasFailed = true;
        reject(error);
      };
      const attempt = { ...sent, answer, fail, hasFailed: false };
      open.push(attempt);
      onSend({ open, caller });
    });
  const observe = (event: RequestEvent): void => void events.push(event);
  const toy = new Toy({ hedge, observe, ...policy }, fetch, caller.signal);
  // Hedges are paid for by earlier successes.
  toy.answerBefore(2, 0);
  events.length = 0;
  const start = (): Promise<unknown> => begin(toy).catch((error: unknown) => error);
  const hedged: Scene['hedged'] = async () => {
    const end = start();
    await toy.time.fire(afterMs);
    return { end, first: at(open, 0), second: at(open, 1) };
  };
  return { toy, open, events, caller, begin: start, hedged };
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`there is no ${index}`);
  return item;
}

const turn = (): Promise<void> => new Promise(setImmediate);

function reasons(result: unknown): unknown {
  return historyOf(result)?.map(({ decision }) => [decision.attempt, decision.reason]);
}

function expectNothingLeft({ toy, caller }: Scene): void {
  expect(toy.time.pending).toEqual([]);
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
}

describe('a hedge', () => {
  test('is sent only when the answer is late', async () => {
    const it = scene();
    const end = it.begin();
    await it.toy.time.until(({ pending }) => pending.includes(afterMs));
    const answer = at(it.open, 0).answer(200);
    expect(await end).toBe(answer);
    expect(it.open).toHaveLength(1);
    it.toy.stopFollowing?.();
    expectNothingLeft(it);
    expect(historyOf(answer)).toHaveLength(1);
  });

  test('is not sent if the request cannot be sent by two attempts', async () => {
    const it = scene();
    Object.assign(it.toy, { isSendableTwice: false });
    const end = it.begin();
    expect(it.toy.time.pending).toEqual([]);
    at(it.open, 0).answer(200);
    await end;
    expect(it.open).toHaveLength(1);
  });

  test('has a signal of its own, and its number in the header of attempts', async () => {
    const it = scene({ attemptHeader: 'x-retry' });
    const { first, second, end } = await it.hedged();
    expect(first.signal).not.toBe(second.signal);
    expect([first, second].map(({ headers }) => headers['x-retry'])).toEqual([undefined, '1']);
    first.answer(200);
    await end;
  });

  test('is told of, and so is what became of it', async () => {
    const it = scene();
    const { second, end } = await it.hedged();
    second.answer(200);
    await end;
    expect(it.events.filter(({ type }) => type !== 'decision')).toMatchObject([
      { type: 'hedge', attempt: 2, afterMs },
      { type: 'settled', attempts: 2, outcome: 200, hedgeWon: true },
    ]);
  });

  test.each(['first', 'second'] as const)('wins or loses: the %s attempt answers first', async (which) => {
    const it = scene();
    const both = await it.hedged();
    const [winner, loser] = which === 'first' ? [both.first, both.second] : [both.second, both.first];
    const answer = winner.answer(200);
    expect(await both.end).toBe(answer);
    expect(reasons(answer)).toEqual([
      [which === 'first' ? 2 : 1, 'cut'],
      [which === 'first' ? 1 : 2, 'success'],
    ]);
    // The loser keeps its connection if it answers in time.
    expect(loser.signal?.aborted).toBe(false);
    expect(it.toy.time.pending).toEqual([loserMs]);
    loser.answer(202);
    await turn();
    expect(it.toy.log).toContain('released 202');
    it.toy.stopFollowing?.();
    expectNothingLeft(it);
    expect(loser.signal?.aborted).toBe(false);
  });

  test('that has lost is cut if it does not answer in time, and its error disturbs nothing', async () => {
    const it = scene();
    const { first, second, end } = await it.hedged();
    first.answer(200);
    await end;
    await it.toy.time.fire(loserMs);
    expect(second.signal?.aborted).toBe(true);
    second.fail(failed);
    await turn();
    it.toy.stopFollowing?.();
    expectNothingLeft(it);
  });

  test.each([
    ['the first fails, then the hedge succeeds', 0, 1],
    ['the hedge fails, then the first succeeds', 1, 0],
  ])('%s', async (_title, failing, succeeding) => {
    for (const fail of [(open: Open) => open.answer(503), (open: Open) => open.fail(failed)]) {
      const it = scene();
      const { end, ...both } = await it.hedged();
      const sides = [both.first, both.second];
      const failure = fail(at(sides, failing));
      await turn();
      const answer = at(sides, succeeding).answer(200);
      expect(await end).toBe(answer);
      expect(reasons(answer)).toEqual([
        [failing + 1, 'other-pending'],
        [succeeding + 1, 'success'],
      ]);
      expect(it.toy.log).toContain(failure === undefined ? 'released nothing' : 'released 503');
      expect(it.open).toHaveLength(2);
      it.toy.stopFollowing?.();
      expectNothingLeft(it);
    }
  });

  test('a final answer needs no retry, so it wins', async () => {
    const it = scene();
    const { second, end } = await it.hedged();
    const answer = second.answer(404);
    expect(await end).toBe(answer);
  });

  test('if both fail, one retry follows, and both answers are released', async () => {
    const it = scene({ attemptHeader: 'x-retry' });
    const { first, second, end } = await it.hedged();
    second.answer(503);
    await turn();
    first.answer(502);
    await it.toy.time.fire(5);
    await turn();
    const third = at(it.open, 2);
    expect(third.headers['x-retry']).toBe('2');
    expect([...it.toy.log].sort()).toEqual(['released 502', 'released 503']);
    const answer = third.answer(200);
    expect(await end).toBe(answer);
    expect(historyOf(answer)?.map(({ decision }) => decision.attempt)).toEqual([2, 1, 3]);
    expect(it.events.filter(({ type }) => type === 'settled')).toHaveLength(1);
  });

  test.each([
    ['the error comes last', [0, 1]],
    ['the error comes first', [1, 0]],
  ])('if both fail for good, a response is better than an error: %s', async (_title, order) => {
    const it = scene({ maxRetries: 1, retryIf: (outcome) => (outcome.kind === 'error' ? false : undefined) });
    const { end, ...both } = await it.hedged();
    const sides = [both.first, both.second];
    let answer: Answer | undefined;
    for (const side of order) {
      if (side === 0) answer = at(sides, 0).answer(503);
      else at(sides, 1).fail(failed);
      await turn();
    }
    expect(await end).toBe(answer);
  });

  test('a retry may be hedged, too', async () => {
    const it = scene();
    const end = it.begin();
    await it.toy.time.until(({ pending }) => pending.includes(afterMs));
    at(it.open, 0).answer(503);
    await it.toy.time.fire(5);
    await it.toy.time.fire(afterMs);
    const answer = at(it.open, 2).answer(200);
    expect(await end).toBe(answer);
    expect(reasons(answer)).toEqual([
      [1, 'transient-status'],
      [2, 'cut'],
      [3, 'success'],
    ]);
  });

  test('an answer without a status is handed over as it is', async () => {
    const it = scene();
    const { first, second, end } = await it.hedged();
    const answer = second.answer(0);
    expect(await end).toBe(answer);
    expect(first.signal?.aborted).toBe(true);
    expect(it.events.filter(({ type }) => type === 'settled')).toHaveLength(1);
  });
});

describe('a failed answer that is not read', () => {
  test('is released after a while, since the other attempt may be waiting for its connection', async () => {
    const it = scene();
    const { first, second, end } = await it.hedged();
    first.answer(503);
    await turn();
    expect(it.toy.log).toEqual([]);
    expect(it.toy.time.pending).toEqual([afterMs]);
    await it.toy.time.fire(afterMs);
    expect(it.toy.log).toEqual(['released 503']);
    const answer = second.answer(200);
    expect(await end).toBe(answer);
    it.toy.stopFollowing?.();
    expectNothingLeft(it);
  });

  test.each([
    ['an error', (open: Open) => void open.fail(failed)],
    ['a failed answer', (open: Open) => void open.answer(502)],
  ])('and if the other ends with %s in the end, the caller gets that', async (_title, fail) => {
    const never: PolicyOptions = { retryIf: (outcome) => (outcome.kind === 'error' ? false : undefined) };
    const it = scene({ ...never, budget: false, maxRetries: 1 });
    const { first, second, end } = await it.hedged();
    first.answer(503);
    await turn();
    await it.toy.time.fire(afterMs);
    fail(second);
    await turn();
    if (it.toy.time.pending.includes(5)) {
      await it.toy.time.fire(5);
      await turn();
      at(it.open, 2).answer(500);
      expect(await end).toEqual({ status: 500 });
    } else expect(await end).toBe(failed);
    expect(it.toy.log.filter((line) => line === 'released 503')).toHaveLength(1);
    it.toy.stopFollowing?.();
    expectNothingLeft(it);
  });
});

describe('while two attempts are out', () => {
  test.each<[string, PolicyOptions, (both: { first: Open; second: Open }) => unknown]>([
    ['neither has ended', {}, () => undefined],
    ['the first has failed', {}, ({ first }) => first.answer(503)],
    ['the hedge has failed', {}, ({ second }) => second.fail(failed)],
    [
      'the first is being judged',
      { retryIf: () => new Promise(() => undefined) },
      ({ first }) => first.answer(503),
    ],
    [
      'both are being judged',
      { retryIf: () => new Promise(() => undefined) },
      ({ first, second }) => [first.answer(200), second.answer(200)],
    ],
  ])("the caller's abort ends both: %s", async (_title, policy, meanwhile) => {
    const it = scene(policy);
    const both = await it.hedged();
    meanwhile(both);
    await turn();
    const reason = new Error('enough');
    it.caller.abort(reason);
    expect(await both.end).toBe(reason);
    await turn();
    const stillOut = [both.first, both.second].filter((open) => !open.hasFailed);
    for (const { signal } of stillOut) expect(signal?.aborted).toBe(true);
    expectNothingLeft(it);
    expect(it.events.filter(({ type }) => type === 'settled')).toMatchObject([{ outcome: 'Error' }]);
    expect(it.events.filter(({ type }) => type === 'decision')).toHaveLength(1);
    expect(it.toy.log).toContain('closed with error');
  });

  test.each([1, 2])('the caller aborts while attempt %i is being sent', async (number) => {
    const reason = new Error('enough');
    const it = scene({}, ({ open, caller }) => {
      if (open.length === number) caller.abort(reason);
    });
    const end = it.begin();
    if (number === 2) await it.toy.time.fire(afterMs);
    expect(await end).toBe(reason);
    await turn();
    expect(it.open).toHaveLength(number);
    for (const { signal } of it.open) expect(signal?.aborted).toBe(true);
    expectNothingLeft(it);
    expect(it.events.filter(({ type }) => type === 'decision')).toHaveLength(1);
  });

  test('the caller aborts as it is told of the hedge: that is not sent', async () => {
    const reason = new Error('enough');
    const it = scene({
      observe: (event) => {
        if (event.type === 'hedge') it.caller.abort(reason);
      },
    });
    const end = it.begin();
    await it.toy.time.fire(afterMs);
    expect(await end).toBe(reason);
    await turn();
    expect(it.open).toHaveLength(1);
    expectNothingLeft(it);
    expect(reasons(reason)).toEqual([[1, 'aborted']]);
  });

  test('the deadline ends both', async () => {
    const it = scene({ deadlineMs: 120 });
    const { first, second, end } = await it.hedged();
    await it.toy.time.fire(120);
    expect(await end).toBeInstanceOf(DeadlineError);
    await turn();
    for (const { signal } of [first, second]) expect(signal?.aborted).toBe(true);
    expectNothingLeft(it);
  });

  test('each has its own attempt timeout', async () => {
    const it = scene({ attemptTimeoutMs: 70, maxRetries: 1 });
    const { first, second, end } = await it.hedged();
    await it.toy.time.fireAt(70);
    await turn();
    expect(first.signal?.reason).toBeInstanceOf(AttemptTimeoutError);
    expect(second.signal?.aborted).toBe(false);
    await it.toy.time.fireAt(50 + 70);
    expect(second.signal?.reason).toBeInstanceOf(AttemptTimeoutError);
    await it.toy.time.fire(5);
    await turn();
    const answer = at(it.open, 2).answer(200);
    expect(await end).toBe(answer);
  });

  test.each(['first', 'second'] as const)('a hook that fails for the %s ends both', async (which) => {
    const broken = new Error('the hook is broken');
    const it = scene({
      retryIf: async () => {
        throw broken;
      },
    });
    const both = await it.hedged();
    const other = which === 'first' ? both.second : both.first;
    both[which].answer(200);
    expect(await both.end).toBe(broken);
    expect(other.signal?.aborted).toBe(true);
    expect(it.toy.log).toEqual(['released 200', 'closed with error']);
    expectNothingLeft(it);
    expect(it.events.filter(({ type }) => type === 'settled')).toHaveLength(1);
  });

  test('one that is judged slowly does not keep the other from winning', async () => {
    let judge = (_verdict: undefined): void => undefined;
    const it = scene({
      retryIf: (outcome) =>
        outcome.kind === 'response' && outcome.status === 503
          ? new Promise((resolve) => {
              judge = resolve;
            })
          : undefined,
    });
    const { first, second, end } = await it.hedged();
    first.answer(503);
    await turn();
    const answer = second.answer(200);
    expect(await end).toBe(answer);
    judge(undefined);
    await turn();
    expect(it.toy.log).toContain('released 503');
    it.toy.stopFollowing?.();
    expectNothingLeft(it);
  });

  test("after the answer, an abort ends the winner's body only", async () => {
    const it = scene();
    const { first, second, end } = await it.hedged();
    second.answer(200);
    await end;
    const reason = new Error('enough');
    it.caller.abort(reason);
    expect(second.signal?.reason).toBe(reason);
    expect(first.signal?.aborted).toBe(false);
  });

  test("a deadline that covers the body ends the winner's", async () => {
    const it = scene({ deadlineMs: 1_000, deadlineCovers: 'body' });
    const { second, end } = await it.hedged();
    second.answer(200);
    await end;
    const reason = new Error('late');
    it.toy.deadline?.abort(reason);
    expect(second.signal?.reason).toBe(reason);
  });
});

describe('an attempt timeout that is learnt', () => {
  const attemptTimeoutMs = { quantile: 0.5, factor: 2, minMs: 20, maxMs: 900 };

  test('ends an attempt that takes much longer than usual', async () => {
    const it = scene({ hedge: false, attemptTimeoutMs });
    it.toy.answerBefore(100, 30);
    const end = it.begin();
    const [learnt = 0] = it.toy.time.pending;
    expect(learnt).toBeGreaterThanOrEqual(60);
    expect(learnt).toBeLessThan(70);
    await it.toy.time.fire(learnt);
    expect(at(it.open, 0).signal?.reason).toMatchObject({ attemptTimeoutMs: learnt });
    await turn();
    expect(it.toy.time.pending).toEqual([0]);
    await it.toy.time.fire(0);
    await turn();
    at(it.open, 1).answer(200);
    expect(await end).toMatchObject({ status: 200 });
  });

  test('does not apply if the body cannot be sent again for certain', async () => {
    const it = scene({ hedge: false, attemptTimeoutMs });
    it.toy.answerBefore(100, 30);
    Object.assign(it.toy, { isSendableTwice: false });
    void it.begin();
    expect(it.toy.time.pending).toEqual([900]);
  });
});
