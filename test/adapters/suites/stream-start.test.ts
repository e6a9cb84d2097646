/** A stream that fails before its content is a failed attempt; one whose content has begun is the caller's. */

import { describe, expect, test } from 'vitest';
import { createRetrier, type Decision, type PolicyOptions } from '../../../src/index.js';
import { type Answer, answer, cutChunked } from '../../faults/lab.js';
import { stageOf } from '../hand-time.js';
import { comesTrue, settled, soon } from '../kit.js';
import { hedgeMs, hedging, onCue } from './hedged.js';
import { begun, bye, ended, errorOf, eventStream, hello, ping, said, stream, streamOf } from './streams.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

const policy: PolicyOptions = { ...soon, hints: 'anthropic', streamStart: {} };
const good = ended(begun, ping, hello, bye);
const text = begun + ping + hello + bye;
const overloaded = errorOf('overloaded_error');

/** What a listener hears of one request. */
function heard(options: PolicyOptions = policy) {
  const decisions: Decision[] = [];
  const ends: { attempts: number; outcome: number | string }[] = [];
  const observe: PolicyOptions['observe'] = (event) => {
    if (event.type === 'decision') decisions.push(event.decision);
    if (event.type === 'settled') ends.push({ attempts: event.attempts, outcome: event.outcome });
  };
  return { retrier: createRetrier({ ...options, observe }), decisions, ends };
}

const ways = (subject.startsStreams ? subject.ways : []).map((way) => ({
  ...way,
  client: way.streaming ?? way.client,
}));

test.skipIf(subject.startsStreams)('streams are handed over at once', () => undefined);

describe.each(ways)('over $name', ({ client, open, provesNothing = false }) => {
  test.each<[string, Answer, string]>([
    ['an error', ended(overloaded), 'throttled'],
    ['an error behind what is no content yet', ended(': hi\n\n', begun, ping, overloaded), 'throttled'],
    ['an error that comes in pieces', ended(...(overloaded.match(/.{1,7}/gs) ?? [])), 'throttled'],
    ['an error, and more behind it', ended(overloaded, hello, bye), 'throttled'],
    ['an error, after which it stays open', stream(overloaded, { do: 'stall' }), 'throttled'],
    ['a fault of the server', ended(errorOf('api_error')), 'transient-status'],
    ['an end', ended(), 'transient-status'],
    ['an end behind what is no content yet', ended(begun, ping), 'transient-status'],
    ['a cut after its head', cutChunked('fin', '', eventStream) as Answer, 'transport-error'],
    [
      'a cut behind what is no content yet',
      cutChunked('fin', begun, eventStream) as Answer,
      'transport-error',
    ],
    [
      'a cut in the middle of its first event',
      cutChunked('fin', hello.slice(0, -2), eventStream) as Answer,
      'transport-error',
    ],
    ['a reset', cutChunked('rst', begun, eventStream) as Answer, 'transport-error'],
  ])('%s before its content is retried', async (_what, failing, reason) => {
    const lab = await open([failing, good]);
    const { retrier, decisions, ends } = heard();
    expect(await client(retrier)(lab.origin)).toMatchObject({ status: 200, text });
    expect(lab.requests).toHaveLength(2);
    expect(decisions.map((decision) => [decision.action, decision.reason])).toEqual([
      ['retry', reason],
      ['stop', 'success'],
    ]);
    expect(ends).toEqual([{ attempts: 2, outcome: 200 }]);
  });

  test.each<[string, Answer, Answer, string]>([
    [
      'chunks of a completion',
      ended(said({ choices: [{ delta: { role: 'assistant' } }] }), said({ error: { code: 502 } })),
      ended(said({ choices: [{ delta: { content: 'a' } }] }), said('[DONE]')),
      said({ choices: [{ delta: { content: 'a' } }] }) + said('[DONE]'),
    ],
    [
      'lines of JSON',
      streamOf({ 'content-type': 'application/x-ndjson' }, '{"error":"busy"}\n', { do: 'end' }),
      streamOf({ 'content-type': 'application/x-ndjson' }, '\n{"a":1}\n', { do: 'end' }),
      '\n{"a":1}\n',
    ],
    ['an end of OpenAI without anything', ended(said('[DONE]')), good, text],
  ])('%s', async (_what, failing, whole, expected) => {
    const lab = await open([failing, whole]);
    expect(await client(policy)(lab.origin)).toMatchObject({ text: expected });
    expect(lab.requests).toHaveLength(2);
  });

  test.each<[string, PolicyOptions, string, object, string]>([
    ['a POST without a key', {}, begun + overloaded, { method: 'POST', body: 'x' }, 'unsafe-method'],
    ['a failure that stays', {}, errorOf('invalid_request_error'), {}, 'final-status'],
    [
      'a veto',
      { hints: { name: 'acme', events: [{ event: 'error', means: 'never' }] } },
      overloaded,
      {},
      'server-forbids',
    ],
    ['retries that are spent', { maxRetries: 1 }, begun + overloaded + bye, {}, 'retries-spent'],
    ['an empty stream, and retries that are spent', { maxRetries: 1 }, ping, {}, 'retries-spent'],
  ])("after %s, every byte is the caller's", async (_what, options, sent, asked, reason) => {
    const lab = await open([ended(sent)]);
    const { retrier, decisions, ends } = heard({ ...policy, ...options });
    expect(await client(retrier)(lab.origin, asked)).toMatchObject({ status: 200, text: sent });
    expect(decisions.at(-1)?.reason).toBe(reason);
    expect(ends).toHaveLength(1);
  });

  test.skipIf(provesNothing)('a POST is sent again where a row says that it was not taken', async () => {
    const lab = await open([ended(said({ code: 'BUSY' }, 'problem')), good]);
    const events = [
      { event: 'problem', at: '/code', is: ['BUSY'], means: 'throttled', evidence: 'refused' } as const,
    ];
    const send = client({ ...policy, hints: ['anthropic', { name: 'acme', events }] });
    expect(await send(lab.origin, { method: 'POST', body: 'x' })).toMatchObject({ text });
    expect(lab.requests).toHaveLength(2);
  });

  test('a POST with a key is sent again', async () => {
    const lab = await open([ended(overloaded), good]);
    const asked = { method: 'POST', body: 'x', headers: { 'idempotency-key': 'k' } };
    expect(await client(policy)(lab.origin, asked)).toMatchObject({ text });
  });

  test("what fails behind its content is the caller's", async () => {
    const lab = await open([
      ended(begun, hello, overloaded),
      cutChunked('fin', begun + hello, eventStream) as Answer,
    ]);
    const send = client(policy);
    expect(await send(lab.origin)).toMatchObject({ text: begun + hello + overloaded });
    expect((await settled(send(lab.origin))).error).toBeInstanceOf(Error);
    expect(lab.requests).toHaveLength(2);
  });

  test('a failure that is said in a 2xx is none for the gate', async () => {
    const lab = await open([ended(overloaded), ended(overloaded), good]);
    const send = client({ ...policy, maxRetries: 1, gate: { failures: 1, deadForMs: 0 } });
    expect(await send(lab.origin)).toMatchObject({ text: overloaded });
    expect(await send(lab.origin)).toMatchObject({ text });
  });

  test('off, nothing is looked at', async () => {
    const lab = await open([ended(overloaded)]);
    for (const options of [{ streamStart: false }, { maxRetries: 0 }] as const)
      expect(await client({ ...policy, ...options })(lab.origin)).toMatchObject({ text: overloaded });
    expect(lab.requests).toHaveLength(2);
  });

  test('other answers are handed over as ever', async () => {
    const lab = await open([answer(200, '{"error":{"code":503}}', { 'content-type': 'application/json' })]);
    expect(await client(policy)(lab.origin)).toMatchObject({ text: '{"error":{"code":503}}' });
    expect(lab.requests).toHaveLength(1);
  });

  test('a beginning that is longer than maxBytes is handed over, every byte in order', async () => {
    const pings = Array.from({ length: 40 }, () => `: ${'x'.repeat(1_000)}\n\n`);
    const lab = await open([ended(...pings, overloaded)]);
    const send = client({ ...policy, streamStart: { maxBytes: 20_000 } });
    expect(await send(lab.origin)).toMatchObject({ text: pings.join('') + overloaded });
    expect(lab.requests).toHaveLength(1);
  });
});

describe.each(ways)('in time, over $name', (way) => {
  const { client, open } = way;

  const stage = (options: PolicyOptions = {}) => stageOf({ ...policy, ...options });

  const cue = { do: 'cue', name: 'rest' } as const;

  test('the content is handed over as soon as it begins', async () => {
    const lab = await open([stream(begun, hello, cue, bye, { do: 'end' })]);
    const { time, told, retrier } = stage();
    const asked = client(retrier)(lab.origin);
    expect(await comesTrue(() => told.length > 0)).toBe(true);
    expect(told).toEqual(['settled 200 after 1']);
    expect(time.pending).not.toContain(5_000);
    lab.cue('rest');
    expect(await asked).toMatchObject({ text: begun + hello + bye });
  });

  test.each<[string, PolicyOptions, number]>([
    ['maxMs', { streamStart: { maxMs: 90 } }, 90],
    ['five seconds', {}, 5_000],
    ['the time limit of an attempt', { attemptTimeoutMs: 300 }, 300],
    ['the deadline', { deadlineMs: 200 }, 200],
  ])(
    'after %s, a stream without content is handed over, whatever pings there were',
    async (_what, options, ms) => {
      const lab = await open([stream(begun, ping, cue, hello, { do: 'end' })]);
      const { time, told, retrier } = stage(options);
      const asked = client(retrier)(lab.origin);
      const isLimited = options.attemptTimeoutMs !== undefined || options.deadlineMs !== undefined;
      await time.until(({ timers }) => timers.length === (isLimited ? 2 : 1));
      await time.fire(ms);
      expect(await comesTrue(() => told.length > 0)).toBe(true);
      expect(told).toEqual(['settled 200 after 1']);
      lab.cue('rest');
      expect(await asked).toMatchObject({ status: 200, text: begun + ping + hello });
      expect(lab.requests).toHaveLength(1);
    },
  );

  test("an error that comes after that is the caller's", async () => {
    const lab = await open([stream(ping, cue, overloaded, { do: 'end' })]);
    const { time, told, retrier } = stage();
    const asked = client(retrier)(lab.origin);
    await time.fire(5_000);
    expect(await comesTrue(() => told.length > 0)).toBe(true);
    lab.cue('rest');
    expect(await asked).toMatchObject({ text: ping + overloaded });
    expect(lab.requests).toHaveLength(1);
  });

  test("the caller's abort ends the wait, as it ends any attempt", async () => {
    const lab = await open([stream(ping, { do: 'stall' })]);
    const { time, told, retrier } = stage();
    const abort = new AbortController();
    const asked = settled(client(retrier)(lab.origin, { signal: abort.signal }));
    await time.until(({ pending }) => pending.includes(5_000));
    abort.abort();
    expect((await asked).error).toMatchObject({
      name: subject.name === 'axios' ? 'CanceledError' : 'AbortError',
    });
    expect(told[0]).toBe('aborted');
    expect(time.pending).toEqual([]);
  });

  test('a deadline that covers the body ends it', async () => {
    const lab = await open([stream(ping, { do: 'stall' })]);
    const { time, retrier } = stage({ deadlineMs: 200, deadlineCovers: 'body' });
    const asked = settled(client(retrier)(lab.origin));
    await time.until(({ pending }) => pending.includes(5_000));
    await time.fire(200);
    if (subject.name !== 'undici') {
      await time.until(({ timers }) => timers.length > 2);
      // The caller has begun to read it.
      await new Promise(setImmediate);
      await time.fire(0);
    }
    expect((await asked).error).toMatchObject({ code: 'ERR_UNDAUNTED_DEADLINE' });
    expect(lab.requests).toHaveLength(1);
  });

  describe.skipIf(!subject.hedges)('a hedge', () => {
    const options = { ...policy, schedule: { kind: 'fixed', waitMs: 7, jitter: 'none' } } as const;

    test('whose content begins wins over a first attempt that has none', async () => {
      const lab = await open([stream(begun, ping, cue, { do: 'end' }), good]);
      const { time, told, ask } = hedging(way, options);
      const asked = ask(lab.origin);
      await time.until(({ pending }) => pending.includes(5_000));
      await time.fire(hedgeMs);
      expect((await asked).value).toMatchObject({ text });
      expect(told).toEqual([`hedge 2 after ${hedgeMs}`, '2 success', 'settled 200 after 2, hedge won']);
      // The stream that has lost is not waited for.
      expect(time.pending).not.toContain(5_000);
    });

    test('is left the race by a first attempt that fails', async () => {
      const lab = await open([stream(ping, cue, overloaded, { do: 'end' }), onCue('hedge', good)]);
      const { time, told, ask } = hedging(way, options);
      const asked = ask(lab.origin);
      await time.until(({ pending }) => pending.includes(5_000));
      await time.fire(hedgeMs);
      await lab.until(({ requests }) => requests.length === 2);
      lab.cue('rest');
      await time.until(({ pending }) => !pending.includes(5_000));
      lab.cue('hedge');
      expect((await asked).value).toMatchObject({ text });
      expect(told.slice(-2)).toEqual(['2 success', 'settled 200 after 2, hedge won']);
    });
  });
});
