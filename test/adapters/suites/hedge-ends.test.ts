/** The end of a request whose two attempts are both out: both end with it. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { DeadlineError, type PolicyOptions, type RequestEvent } from '../../../src/index.js';
import { answer, halfHead, type Lab, type Play, silence, stallInBody } from '../../faults/lab.js';
import { thinker } from '../abort-moments.js';
import { openLab } from '../kit.js';
import { headIn } from './causes.js';
import { bothOut, type Hedging, hedgeMs, hedging, numbersIn, onCue, retryMs } from './hedged.js';
import { theSubject } from './subject.js';
import { expectForgotten } from './timed.js';

const subject = await theSubject();

beforeEach(({ skip }) => skip(subject.hedges !== true));

const [plain] = subject.ways;
const ways = [...subject.ways, ...subject.overH2.filter(({ sendsOneAtATime }) => !sendsOneAtATime)];

interface Moment {
  readonly plays: readonly [Play, Play];
  readonly policy?: (ask: () => Promise<never>) => PolicyOptions;
  /** Resolves at that moment. */
  reach(stage: Hedging & { readonly lab: Lab; readonly asked: Promise<void> }): Promise<void>;
}

/** What comes of one of the two attempts before the caller aborts. */
const moments: readonly (readonly [string, Moment])[] = [
  ['before either has answered', { plays: [silence(), silence()], reach: async () => undefined }],
  [
    'when the first has failed, and the hedge is out',
    {
      plays: [onCue('first', answer(503, 'busy')), silence()],
      reach: async ({ lab }) => {
        lab.cue('first');
        await lab.until(({ bytesSent }) => bytesSent > 0);
      },
    },
  ],
  [
    'when the hedge was reset, and the first is out',
    {
      plays: [silence(), { steps: [{ do: 'cue', name: 'hedge' }, { do: 'rst' }] }],
      reach: async ({ lab }) => {
        lab.cue('hedge');
        await lab.until(({ openSockets }) => openSockets === 1);
      },
    },
  ],
  [
    'in the middle of both heads',
    {
      plays: [halfHead('stall'), halfHead('stall')],
      reach: ({ lab }) => lab.until(({ bytesSent }) => bytesSent > 40),
    },
  ],
  [
    'while retryIf thinks about the first, and the hedge is out',
    {
      plays: [onCue('first', answer(503, 'busy')), silence()],
      policy: (ask) => ({ retryIf: ask }),
      reach: async ({ lab, asked }) => {
        lab.cue('first');
        await asked;
      },
    },
  ],
  [
    'while the beginning of a body is read for a hint, and the first is out',
    {
      plays: [silence(), onCue('hedge', stallInBody(100, 503))],
      policy: () => ({ bodyHintBytes: 1_000 }),
      reach: async ({ lab }) => {
        lab.cue('hedge');
        await lab.until(({ bytesSent }) => bytesSent > 100);
      },
    },
  ],
  [
    'in the wait after both have failed',
    {
      plays: [onCue('first', answer(503)), onCue('hedge', answer(503))],
      reach: async ({ lab, time }) => {
        lab.cue('first');
        lab.cue('hedge');
        await time.until(({ pending }) => pending.includes(retryMs));
      },
    },
  ],
];

describe.each(subject.ways)('an abort: $name', (way) => {
  test.each(moments)('%s', async (_when, { plays, policy, reach }) => {
    const { asked, ask: think } = thinker();
    const aborter = new AbortController();
    const stage = await bothOut(way, plays, policy?.(think), { signal: aborter.signal });
    const { lab, time, told, answered } = stage;
    await reach({ ...stage, asked });
    aborter.abort();
    const { error } = await answered;
    expect(String((error as { code?: unknown }).code)).toBe(subject.abortCode);
    expect(told.filter((line) => line.startsWith('settled'))).toHaveLength(1);
    expect(lab.requests).toHaveLength(2);
    await time.until(({ pending }) => pending.length === 0);
    await expectForgotten(way, aborter.signal);
  });
});

test.each(subject.ways)(
  'an abort by a listener that hears of the hedge leaves no timer: $name',
  async (way) => {
    const lab = await openLab(silence());
    const attemptTimeoutMs = { minMs: 1_000, maxMs: 2_000 };
    const { time, told, ask } = hedging(way, { attemptTimeoutMs });
    const aborter = new AbortController();
    const listen = (event: unknown): void => {
      if ((event as RequestEvent).type === 'hedge') aborter.abort();
    };
    subscribe('undaunted:decision', listen);
    onTestFinished(() => void unsubscribe('undaunted:decision', listen));
    const asked = ask(lab.origin, { signal: aborter.signal });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    const { error } = await asked;
    expect(String((error as { code?: unknown }).code)).toBe(subject.abortCode);
    expect(told.filter((line) => line.startsWith('settled'))).toHaveLength(1);
    await expectForgotten(way, aborter.signal);
    expect(time.pending).toEqual([]);
  },
);

test.each(['the first', 'the hedge'])(
  'an abort in the body, when %s has won: the other goes its way',
  async (winner) => {
    const aborter = new AbortController();
    const answers = {
      'the first': answer(200, 'lost'),
      'the hedge': answer(200, 'lost'),
      [winner]: stallInBody(100),
    };
    const plays = [
      onCue('the first', answers['the first']),
      onCue('the hedge', answers['the hedge']),
    ] as const;
    const { lab, time, answered } = await bothOut(plain, plays, {}, { signal: aborter.signal });
    lab.cue(winner);
    await lab.until(({ bytesSent }) => bytesSent > 100);
    await time.until(({ pending }) => !pending.includes(hedgeMs));
    aborter.abort();
    expect((await answered).error).toBeDefined();
    lab.cue(winner === 'the first' ? 'the hedge' : 'the first');
    await time.until(({ pending }) => pending.length === 0);
    expect(lab.requests).toHaveLength(2);
  },
);

describe.each(ways)('the end of a request with two attempts out: $name', (way) => {
  test('an abort ends both at once', async () => {
    const lab = await way.open(silence());
    const { time, told, ask } = hedging(way);
    const aborter = new AbortController();
    const asked = ask(lab.origin, { signal: aborter.signal });
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    aborter.abort();
    const { error } = await asked;
    expect(String((error as { code?: unknown }).code)).toBe(subject.abortCode);
    expect(time.pending).toEqual([]);
    expect(told.filter((line) => line.startsWith('settled'))).toHaveLength(1);
    await expectForgotten(way, aborter.signal);
    if (!subject.overH2.includes(way)) {
      await lab.until(({ connections, openSockets }) => connections - openSockets >= 2);
    }
  });

  test('a deadline ends both', async () => {
    const lab = await way.open(silence());
    const { time, told, ask } = hedging(way, { deadlineMs: 1_000 });
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    await time.fire(1_000);
    expect((await asked).error).toBeInstanceOf(DeadlineError);
    expect(time.pending).toEqual([]);
    expect(told.filter((line) => line.startsWith('settled'))).toEqual([
      'settled ERR_UNDAUNTED_DEADLINE after 2, hedge lost',
    ]);
  });

  test('each attempt has its own time', async () => {
    const lab = await way.open([silence(), silence(), answer(200, 'retried')]);
    const { time, told, ask } = hedging(way, { attemptTimeoutMs: 1_000 });
    const asked = ask(lab.origin);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await lab.until(({ requests }) => requests.length === 2);
    await time.fire(1_000);
    await time.fire(1_000);
    await time.fire(retryMs);
    expect((await asked).value?.text).toBe('retried');
    expect(told.slice(1)).toEqual(['2 attempt-timeout', '3 success', 'settled 200 after 3, hedge lost']);
    expect(numbersIn(lab.requests)).toEqual([0, 1, 2]);
    expect(time.pending).toEqual([]);
  });
});

describe.each(subject.ways)('a deadline, after one has failed: $name', (way) => {
  test.each(['first', 'hedge'])('the %s has: that failure is the cause of the error', async (name) => {
    const failing = onCue('fail', answer(503, 'busy', { 'x-attempt': name }));
    const plays = name === 'first' ? ([failing, silence()] as const) : ([silence(), failing] as const);
    const judged: unknown[] = [];
    const policy = { deadlineMs: 1_000, retryIf: (outcome: unknown) => void judged.push(outcome) };
    const { lab, time, answered } = await bothOut(way, plays, policy);
    lab.cue('fail');
    await expect.poll(() => judged.length, { interval: 1 }).toBe(1);
    await time.fireAt(time.now - hedgeMs + 1_000);
    const { error } = await answered;
    expect(error).toBeInstanceOf(DeadlineError);
    expect(headIn(error)).toMatchObject({ status: 503, headers: { 'x-attempt': name } });
    await time.until(({ pending }) => pending.length === 0);
  });
});
