/** An answer whose body breaks off is a failed attempt, if the answer waits for its body. */

import { describe, expect, test } from 'vitest';
import { createRetrier, type Decision, type PolicyOptions } from '../../../src/index.js';
import { type Answer, answer, answerChunked, cutBody, cutChunked } from '../../faults/lab.js';
import { settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

const whole: PolicyOptions = { ...soon, wholeBodyBytes: 65_536 };
const json = { 'content-type': 'application/json' };
const text = JSON.stringify({ items: Array.from({ length: 50 }, (_, id) => ({ id })) });

/** What a listener hears of one request. */
function heard(policy: PolicyOptions = whole) {
  const decisions: Decision[] = [];
  const ends: { attempts: number; outcome: number | string }[] = [];
  const observe: PolicyOptions['observe'] = (event) => {
    if (event.type === 'decision') decisions.push(event.decision);
    if (event.type === 'settled') ends.push({ attempts: event.attempts, outcome: event.outcome });
  };
  return { retrier: createRetrier({ ...policy, observe }), decisions, ends };
}

type Cuts = readonly (readonly [where: string, cut: Answer])[];

/** Plays that only one of the servers can give, for a script of either. */
const cuts = (...all: readonly (readonly [string, object])[]): Cuts => all as unknown as Cuts;

const overH1 = cuts(
  ['after its head', cutBody(1_000, 0, 'fin')],
  ['in the middle', cutBody(1_000, 500, 'fin')],
  ['with a reset', cutBody(1_000, 500, 'rst')],
  ['before its last byte', cutBody(1_000, 999, 'fin')],
  ['in a chunk', cutChunked('fin', 'hello', json)],
  ['in a chunk, with a reset', cutChunked('rst', 'hello', json)],
);

/** The stream is reset after so many of a thousand bytes. */
function reset(bytes: number): object {
  const headers = { 'content-length': '1000', ...json };
  const code = 2;
  return {
    steps: [
      { do: 'head', status: 200, headers },
      { do: 'fill', bytes },
      { do: 'rst-stream', code },
    ],
  };
}

const overH2 = cuts(
  ['after its head', reset(0)],
  ['in the middle', reset(500)],
  ['before its last byte', reset(999)],
);

const ways = [
  ...subject.ways.map((way) => ({ ...way, cuts: overH1 })),
  ...subject.overH2.map((way) => ({ ...way, cuts: overH2 })),
];

describe.each(ways)('over $name', ({ client, open, cuts }) => {
  const [, [, middle]] = cuts as readonly [Cuts[0], NonNullable<Cuts[0]>];

  describe('a body that breaks off', () => {
    test.each(cuts)('%s is fetched again', async (_where, cut) => {
      const lab = await open([cut, answer(200, text, json)]);
      const { retrier, decisions, ends } = heard();
      expect(await client(retrier)(lab.origin)).toMatchObject({ status: 200, text });
      expect(lab.requests).toHaveLength(2);
      expect(decisions.map(({ action, reason }) => [action, reason])).toEqual([
        ['retry', 'transport-error'],
        ['stop', 'success'],
      ]);
      expect(ends).toEqual([{ attempts: 2, outcome: 200 }]);
    });

    test("is the caller's after a POST without a key", async () => {
      const lab = await open([middle, answer(200, text, json)]);
      const { retrier, decisions, ends } = heard();
      const { error } = await settled(client(retrier)(lab.origin, { method: 'POST', body: 'x' }));
      expect(error).toBeInstanceOf(Error);
      expect(lab.requests).toHaveLength(1);
      expect(decisions.map(({ reason }) => reason)).toEqual(['unsafe-method']);
      expect(ends).toHaveLength(1);
    });

    test('is fetched again after a POST with a key', async () => {
      const lab = await open([middle, answer(200, text, json)]);
      const asked = { method: 'POST', body: 'x', headers: { 'idempotency-key': 'k' } };
      expect(await client(whole)(lab.origin, asked)).toMatchObject({ status: 200, text });
    });

    test("is the caller's once retries are spent", async () => {
      const lab = await open([middle, middle]);
      const { retrier, decisions, ends } = heard({ ...whole, maxRetries: 1 });
      const { error } = await settled(client(retrier)(lab.origin));
      expect(error).toBeInstanceOf(Error);
      expect(lab.requests).toHaveLength(2);
      expect(decisions.map(({ reason }) => reason)).toEqual(['transport-error', 'retries-spent']);
      expect(ends).toHaveLength(1);
    });

    test('of a final status is fetched again, too', async () => {
      const [head, ...rest] = middle.steps;
      const missing = { steps: [{ ...head, status: 404 }, ...rest] } as Answer;
      const lab = await open([missing, answer(404, text, json)]);
      expect(await client(whole)(lab.origin)).toMatchObject({ status: 404, text });
    });
  });

  test('is a failure for the gate, as a connection that was lost', async () => {
    const lab = await open([middle, middle, answer(200, text, json)]);
    const send = client({ ...whole, maxRetries: 1, gate: { failures: 1, deadForMs: 0 }, methods: ['GET'] });
    await settled(send(lab.origin));
    const { error } = await settled(send(lab.origin));
    expect(error).toMatchObject({ code: 'ERR_UNDAUNTED_GATE_SHUT' });
  });

  test('the caller gets every byte of a whole one', async () => {
    const long = Array.from({ length: 10_000 }, (_, n) => n).join(' ');
    const lab = await open([answer(200, long, json), answerChunked(['a', 'b', 'c'])]);
    const send = client(whole);
    expect((await send(lab.origin)).text).toBe(long);
    expect((await send(lab.origin)).text).toBe('abc');
  });

  test('the caller gets every byte of one that is longer than the limit', async () => {
    const parts = Array.from({ length: 30 }, (_, n) => String.fromCharCode(97 + (n % 26)).repeat(10_000));
    const lab = await open([answerChunked(parts), answer(200, parts.join(''))]);
    const send = client(whole);
    expect((await send(lab.origin)).text).toBe(parts.join(''));
    expect((await send(lab.origin)).text).toBe(parts.join(''));
  });
});
