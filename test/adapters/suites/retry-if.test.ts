/** `retryIf`: what it is asked about, what its verdict does, and what happens to a request when it fails. */

import { describe, expect, test } from 'vitest';
import type { LiveOutcome, RetryIf } from '../../../src/core/events.js';
import type { RequestFacts } from '../../../src/core/types.js';
import { createRetrier, DeadlineError } from '../../../src/index.js';
import { type Play, refusedOrigin } from '../../faults/lab.js';
import { answer, informational, rst } from '../../faults/plays.js';
import { thinker } from '../abort-moments.js';
import { type Event, reasons } from '../decisions.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

/** The same verdict, given at once and later. */
const manners: readonly [string, (word: boolean | undefined) => RetryIf][] = [
  ['at once', (word) => () => word],
  [
    'later',
    (word) => async () => {
      await new Promise(setImmediate);
      return word;
    },
  ],
];

const cutCodes = /ECONNRESET|UND_ERR_SOCKET|ERR_NETWORK/;

/** Some clients have the code in the cause. */
const cutBelow = expect.toSatisfy(({ code, cause }) => cutCodes.test(code) || cutCodes.test(cause?.code));

const cut = { code: expect.stringMatching(cutCodes) };

describe.each(subject.ways)('over $name', ({ client }) => {
  describe.each(manners)('said %s', (_manner, says) => {
    test.each<[boolean | undefined, string, number, number]>([
      [true, 'GET', 200, 3],
      [true, 'GET', 404, 3],
      [true, 'GET', 503, 3],
      [true, 'POST', 200, 3],
      [false, 'GET', 200, 1],
      [false, 'GET', 404, 1],
      [false, 'GET', 503, 1],
      [undefined, 'GET', 200, 1],
      [undefined, 'GET', 404, 1],
      [undefined, 'GET', 503, 3],
      [undefined, 'POST', 503, 1],
    ])('%s to a %s with %i', async (word, method, code, sent) => {
      const lab = await openLab(answer(code, 'the last answer'));
      const { status, text } = await client({ ...soon, maxRetries: 2, retryIf: says(word) })(lab.origin, {
        method,
      });
      expect([status, text]).toEqual([code, 'the last answer']);
      expect(lab.requests).toHaveLength(sent);
    });

    test.each<[boolean | undefined, string, number]>([
      [true, 'GET', 3],
      [true, 'POST', 3],
      [false, 'GET', 1],
      [undefined, 'GET', 3],
      [undefined, 'POST', 1],
    ])('%s to a %s that was cut off before its answer', async (word, method, sent) => {
      const lab = await openLab(rst());
      const send = client({ ...soon, maxRetries: 2, retryIf: says(word) });
      expect((await settled(send(lab.origin, { method }))).error).toMatchObject(cut);
      expect(lab.requests).toHaveLength(sent);
    });

    test('true to an error, of a POST with a body', async () => {
      const lab = await openLab([rst(), answer(200, 'done')]);
      const send = client({
        ...soon,
        retryIf: (outcome, request) => says(outcome.kind === 'error')(outcome, request),
      });
      expect((await send(lab.origin, { method: 'POST', body: 'x' })).text).toBe('done');
      expect(lab.requests.map(({ body }) => String(body))).toEqual(['x', 'x']);
    });
  });

  describe('is asked', () => {
    test('about every attempt, with its outcome and the request', async () => {
      const lab = await openLab([
        informational(103, { link: '</style.css>' }, answer(503, '', { 'x-served-by': 'a' })),
        rst(),
        answer(404),
        answer(200, 'ok'),
      ]);
      const asked: [LiveOutcome, RequestFacts][] = [];
      const retryIf: RetryIf = (outcome, request) => {
        asked.push([outcome, { ...request }]);
        return asked.length < 4 ? true : undefined;
      };
      await client({ ...soon, retryIf })(`${lab.origin}/a`);
      expect(asked.map(([outcome]) => outcome)).toMatchObject([
        { kind: 'response', status: 503 },
        { kind: 'error', error: cutBelow },
        { kind: 'response', status: 404 },
        { kind: 'response', status: 200 },
      ]);
      const facts = { method: 'GET', origin: lab.origin, keyed: false, path: expect.stringMatching(/\/a$/) };
      expect(asked.map(([, request]) => request)).toMatchObject(Array(4).fill(facts));
    });

    test('about the error itself', async () => {
      const origin = await refusedOrigin();
      const asked: LiveOutcome[] = [];
      const retryIf: RetryIf = (outcome) => {
        asked.push(outcome);
        return false;
      };
      const { error } = await settled(client({ ...soon, retryIf })(origin));
      expect(asked).toHaveLength(1);
      expect(asked[0]).toHaveProperty('error', error);
    });
  });

  test.each([
    [
      'throws',
      (error: unknown): RetryIf =>
        () => {
          throw error;
        },
    ],
    [
      'rejects',
      (error: unknown): RetryIf =>
        () =>
          Promise.reject(error),
    ],
    [
      'rejects later',
      (error: unknown): RetryIf =>
        async () => {
          await new Promise(setImmediate);
          throw error;
        },
    ],
  ] as const)('that %s fails the request with that error, as it is', async (_how, failing) => {
    const plays = [answer(503), answer(200), rst()];
    for (const play of plays) {
      for (const thrown of [new Error('broken'), Object.freeze(new Error('frozen'))]) {
        const events: Event[] = [];
        const lab = await openLab(play);
        const observe = (event: Event): void => void events.push(event);
        const ended = await settled(client({ ...soon, retryIf: failing(thrown), observe })(lab.origin));
        expect(ended).toEqual({ error: thrown });
        expect(ended.error).toBe(thrown);
        expect(Reflect.ownKeys(thrown).sort()).toEqual(['message', 'stack']);
        expect(lab.requests).toHaveLength(1);
        expect(events.map(({ type }) => type)).toEqual(['settled']);
      }
    }
  });

  describe('that never ends', () => {
    test.each([
      ['an answer', answer(503, 'busy')],
      ['an error', rst()],
    ])('the deadline ends the request: %s', async (_what, play) => {
      const time = new HandTime();
      const lab = await openLab(play);
      const { asked, ask } = thinker();
      const retrier = createRetrier({ ...soon, deadlineMs: 5_000, retryIf: ask }, time.ports);
      const answered = settled(client(retrier)(lab.origin));
      await asked;
      await time.fireAt(5_000);
      expect((await answered).error).toBeInstanceOf(DeadlineError);
      expect(time.pending).toEqual([]);
      expect(lab.requests).toHaveLength(1);
    });

    /** A request that its caller aborts while `retryIf` is being asked. */
    async function givenUp(play: Play) {
      const lab = await openLab(play);
      let say = (_word: boolean | Promise<boolean>): void => undefined;
      const word = new Promise<boolean>((resolve) => {
        say = resolve;
      });
      let isAsked = false;
      const retryIf: RetryIf = () => {
        isAsked = true;
        return word;
      };
      const aborter = new AbortController();
      const pending = settled(client({ ...soon, retryIf })(lab.origin, { signal: aborter.signal }));
      await expect.poll(() => isAsked, { interval: 1 }).toBe(true);
      aborter.abort();
      return { lab, say: (later: boolean | Promise<boolean>) => say(later), ...(await pending) };
    }

    test('an abort ends the request at once, and a later verdict has no effect', async () => {
      const { lab, say, error } = await givenUp(answer(200));
      expect(error).toBeInstanceOf(Error);
      say(true);
      await new Promise(setImmediate);
      expect(lab.requests).toHaveLength(1);
    });

    test('a rejection after the end is lost, and no error of the process', async () => {
      const { say } = await givenUp(answer(503));
      say(Promise.reject(new Error('too late')));
      // An unhandled rejection would fail the run.
      await new Promise(setImmediate);
    });
  });
});

test('false is reported as the caller’s verdict, and the answer stays as it is', async () => {
  const lab = await openLab(answer(503, 'busy'));
  const { status, text, given } = await subject.client({ ...soon, retryIf: () => false })(lab.origin);
  expect([status, text, reasons(given)]).toEqual([503, 'busy', ['1 caller-forbids']]);
});

test('false for an error is reported as the caller’s verdict', async () => {
  const lab = await openLab(rst());
  const { error } = await settled(subject.client({ ...soon, retryIf: () => false })(lab.origin));
  expect(reasons(error)).toEqual(['1 caller-forbids']);
});

test('true for a success is reported as the caller’s verdict, until the retries are spent', async () => {
  const lab = await openLab(answer(200, 'stale'));
  const { text, given } = await subject.client({ ...soon, maxRetries: 2, retryIf: () => true })(lab.origin);
  expect([text, reasons(given)]).toEqual(['stale', ['1 caller-asks', '2 caller-asks', '3 retries-spent']]);
});

test('that of one request lies over that of the policy', async () => {
  const lab = await openLab([answer(200, 'no'), answer(200, 'yes')]);
  let asked = 0;
  const retryIf: RetryIf = () => {
    asked += 1;
    return asked === 1;
  };
  const send = subject.client({ ...soon, retryIf: () => false });
  expect((await send(lab.origin, { retry: { retryIf } })).text).toBe('yes');
  expect(asked).toBe(2);
});

test.each([
  ['an answer', answer(503)],
  ['a success', answer(200)],
  ['an error', rst()],
])(
  'that throws something other than an error, about %s, fails the request with that',
  async (_about, play) => {
    const throws: RetryIf = () => {
      throw 'a string';
    };
    for (const retryIf of [throws, () => Promise.reject('a string')]) {
      const lab = await openLab(play);
      const ended = await settled(subject.client({ ...soon, retryIf })(lab.origin));
      expect(ended).toEqual({ error: 'a string' });
      expect(lab.requests).toHaveLength(1);
    }
  },
);
