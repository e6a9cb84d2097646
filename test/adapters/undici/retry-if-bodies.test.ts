/** `retryIf` while undici's bodies go on: the caller's response survives the wait for its verdict. */

import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { LiveOutcome, RetryIf } from '../../../src/core/events.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import { createRetrier, DeadlineError } from '../../../src/index.js';
import { contentOf, type Play } from '../../faults/lab.js';
import { answer, answerChunked, bigBody, closeAfter, cutBody } from '../../faults/plays.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { undici } from './client.js';
import { Deferred, littleBytes, openAgent, retryingAgent, whileAnotherReads } from './kit.js';

/** After an abort, undici 6 and 7 may open a spare connection; here it is not kept for long. */
function agentWith(retryIf: RetryIf, policy: PolicyOptions = {}): Dispatcher {
  return retryingAgent({ ...soon, maxRetries: 2, ...policy, retryIf }, { keepAliveTimeout: 10 });
}

/** The same verdict, given at once and later. */
const ways: [string, (word: boolean | undefined) => RetryIf][] = [
  ['at once', (word) => () => word],
  [
    'later',
    (word) => async () => {
      await new Promise(setImmediate);
      return word;
    },
  ],
];

describe.each(ways)('said %s', (_way, says) => {
  test('true does not send a body again that is gone', async () => {
    const lab = await openLab(answer(503));
    const dispatcher = agentWith(says(true), { bufferBodyBytes: 0 });
    const { body } = await undici.request(lab.origin, {
      dispatcher,
      method: 'POST',
      body: streamOf('a', 'b'),
    });
    await body.dump();
    expect(lab.requests).toHaveLength(1);
  });

  test('true does not splice a body together that cannot be resumed', async () => {
    const lab = await openLab(cutBody(1_000, 500, 'rst'));
    const asked: LiveOutcome[] = [];
    const verdict = says(true);
    const dispatcher = agentWith((outcome, request) => {
      asked.push(outcome);
      return outcome.kind === 'error' ? verdict(outcome, request) : undefined;
    });
    const response = await undici.request(lab.origin, { dispatcher });
    const { error } = await settled(response.body.text());
    expect(error).toBeInstanceOf(Error);
    expect(asked.map(({ kind }) => kind)).toEqual(['response', 'error']);
    expect(lab.requests).toHaveLength(1);
  });

  test('undefined to a download that broke off: it is resumed', async () => {
    const size = 300_000;
    const headers = { etag: '"a"', 'accept-ranges': 'bytes' };
    const rest: Play = {
      steps: [
        {
          do: 'head',
          status: 206,
          headers: {
            ...headers,
            'content-range': `bytes 1000-${size - 1}/${size}`,
            'content-length': `${size - 1_000}`,
          },
        },
        { do: 'fill', bytes: size - 1_000, from: 1_000 },
        { do: 'end' },
      ],
    };
    const lab = await openLab([cutBody(size, 1_000, 'rst', headers), rest]);
    const { body } = await undici.request(lab.origin, { dispatcher: agentWith(says(undefined)) });
    const bytes = Buffer.from(await body.arrayBuffer());
    expect(bytes.equals(contentOf('a', 0, size))).toBe(true);
    expect(lab.requests.map(({ headers: sent }) => sent['range'])).toEqual([
      undefined,
      `bytes=1000-${size - 1}`,
    ]);
  });
});

describe('is asked', () => {
  test('not about an abort in the body', async () => {
    const lab = await openLab(bigBody(10_000_000));
    const asked: string[] = [];
    const dispatcher = agentWith((outcome) => {
      asked.push(outcome.kind);
      return undefined;
    });
    const aborter = new AbortController();
    const { body } = await undici.request(lab.origin, { dispatcher, signal: aborter.signal });
    aborter.abort();
    await settled(body.arrayBuffer());
    expect(asked).toEqual(['response']);
  });
});

describe('fails the request with its own error', () => {
  const broken = new Error('cannot tell');
  const failing: [string, RetryIf][] = [
    [
      'when it throws',
      () => {
        throw broken;
      },
    ],
    ['when it rejects', () => Promise.reject(broken)],
    [
      'when it rejects later',
      async () => {
        await new Promise(setImmediate);
        throw broken;
      },
    ],
  ];

  test.each(failing)('%s about a response', async (_when, retryIf) => {
    for (const api of ['request', 'fetch'] as const) {
      const lab = await openLab(bigBody(10_000_000));
      const dispatcher = agentWith(retryIf);
      const { error } = await settled<unknown>(undici[api](lab.origin, { dispatcher }));
      expect(api === 'fetch' ? (error as Error).cause : error).toBe(broken);
      expect(lab.requests).toHaveLength(1);
      // The response is not read any more.
      await lab.until(({ openSockets }) => openSockets === 0);
    }
  });

  test.each(failing)('%s about a body that broke off', async (_when, retryIf) => {
    const lab = await openLab(cutBody(1_000, 500, 'rst'));
    const dispatcher = agentWith((outcome, request) =>
      outcome.kind === 'error' ? retryIf(outcome, request) : undefined,
    );
    const { body } = await undici.request(lab.origin, { dispatcher });
    expect((await settled(body.text())).error).toBe(broken);
  });
});

describe('while it thinks, the response is kept whole:', () => {
  /** A `retryIf` that answers when the test says so. */
  function thinker() {
    const asked = new Deferred();
    const done = new Deferred<boolean | undefined>();
    const retryIf: RetryIf = () => {
      asked.resolve();
      return done.promise;
    };
    return { asked: asked.promise, done, retryIf };
  }

  const large = 8 * 1024 * 1024;

  test.each<[string, Play, Buffer]>([
    ['small', answer(200, 'small'), Buffer.from('small')],
    ['empty', answer(200), Buffer.alloc(0)],
    ['without a body', { steps: [{ do: 'head', status: 204 }, { do: 'end' }] }, Buffer.alloc(0)],
    ['in chunks', answerChunked(['one', 'two', 'three']), Buffer.from('onetwothree')],
    ['at the end of its connection', closeAfter(answer(200, 'the last')), Buffer.from('the last')],
    ['large', bigBody(large), contentOf('a', 0, large)],
  ])('%s', async (_what, play, content) => {
    const lab = await openLab(play);
    const { asked, done, retryIf } = thinker();
    const pending = undici.request(lab.origin, { dispatcher: agentWith(retryIf) });
    await asked;
    await new Promise(setImmediate);
    done.resolve(undefined);
    const { body } = await pending;
    expect(Buffer.from(await body.arrayBuffer()).equals(content)).toBe(true);
  });

  test('large, and no more of it is read than the buffers on the way hold', async () => {
    const lab = await openLab(bigBody(256 * 1024 * 1024));
    const { asked, done, retryIf } = thinker();
    const pending = undici.request(lab.origin, { dispatcher: agentWith(retryIf) });
    await asked;
    await whileAnotherReads();
    expect(lab.bytesSent).toBeLessThan(littleBytes);

    done.resolve(undefined);
    const { body } = await pending;
    let received = 0;
    for await (const chunk of body) {
      expect(contentOf('a', received, received + chunk.length).equals(chunk)).toBe(true);
      received += chunk.length;
      if (received > 1024 * 1024) break;
    }
  });

  test('cut off: the head, then the error', async () => {
    const lab = await openLab(cutBody(1_000, 500, 'rst'));
    const { asked, done, retryIf } = thinker();
    const dispatcher = agentWith((outcome, request) =>
      outcome.kind === 'response' ? retryIf(outcome, request) : undefined,
    );
    const pending = undici.request(lab.origin, { dispatcher });
    await asked;
    await lab.until(({ openSockets }) => openSockets === 0);
    done.resolve(undefined);
    const { statusCode, body } = await pending;
    expect(statusCode).toBe(200);
    expect((await settled(body.text())).error).toBeInstanceOf(Error);
    expect(lab.requests).toHaveLength(1);
  });

  test.each([
    ['undici', () => undici.fetch],
    ['the built-in', () => fetch],
  ] as const)('through %s fetch', async (_whose, fetchOf) => {
    const lab = await openLab(bigBody(1_000_000));
    const { asked, done, retryIf } = thinker();
    const dispatcher = agentWith(retryIf);
    const pending = (fetchOf() as typeof fetch)(lab.origin, { dispatcher } as never);
    await asked;
    await new Promise(setImmediate);
    done.resolve(undefined);
    const bytes = Buffer.from(await (await pending).arrayBuffer());
    expect(bytes.equals(contentOf('a', 0, 1_000_000))).toBe(true);
  });

  test.each([true, false, undefined])('from a MockAgent, which cannot wait (%s)', async (word) => {
    const agent = new undici.MockAgent();
    onTestFinished(() => agent.close());
    agent.disableNetConnect();
    const mocked = agent.get('http://mocked.example');
    mocked.intercept({ path: '/' }).reply(503, 'first'.repeat(10_000));
    mocked.intercept({ path: '/' }).reply(200, 'second'.repeat(10_000));
    const verdicts = [word];
    const dispatcher = agent.compose(
      retry({
        ...soon,
        retryIf: async () => {
          await new Promise(setImmediate);
          return verdicts.shift();
        },
      }),
    );
    const { statusCode, body } = await undici.request('http://mocked.example/', { dispatcher });
    expect([statusCode, await body.text()]).toEqual(
      word === false ? [503, 'first'.repeat(10_000)] : [200, 'second'.repeat(10_000)],
    );
  });

  test('an abort ends the request at once, and the connection', async () => {
    const lab = await openLab(bigBody(100_000_000));
    const { asked, done, retryIf } = thinker();
    const aborter = new AbortController();
    const pending = settled(
      undici.request(lab.origin, { dispatcher: agentWith(retryIf), signal: aborter.signal }),
    );
    await asked;
    aborter.abort();
    expect((await pending).error).toBe(aborter.signal.reason);
    await lab.until(({ openSockets }) => openSockets === 0);
    done.resolve(true);
    await new Promise(setImmediate);
    expect(lab.requests).toHaveLength(1);
  });

  test('the deadline ends the request', async () => {
    const lab = await openLab(bigBody(100_000_000));
    const { asked, retryIf } = thinker();
    const time = new HandTime();
    const retrier = createRetrier({ ...soon, retryIf, deadlineMs: 5_000 }, time.ports);
    // As above: no spare connection is kept for long.
    const dispatcher = retryingAgent(retrier, { keepAliveTimeout: 10 });
    const ended = settled(undici.request(lab.origin, { dispatcher }));
    await asked;
    await time.fire(5_000);
    expect((await ended).error).toBeInstanceOf(DeadlineError);
    await lab.until(({ openSockets }) => openSockets === 0);
  });

  test('true: the large response is let go, and its connection with it', async () => {
    const lab = await openLab([bigBody(100_000_000), answer(200, 'small')]);
    const { asked, done, retryIf } = thinker();
    let questions = 0;
    const dispatcher = agentWith((outcome, request) => {
      questions += 1;
      return questions === 1 ? retryIf(outcome, request) : undefined;
    });
    const pending = undici.request(lab.origin, { dispatcher });
    await asked;
    done.resolve(true);
    expect(await (await pending).body.text()).toBe('small');
    const [first, second] = lab.requests.map(({ connection }) => connection);
    expect(second).not.toBe(first);
  });

  test('true: the small response is read, and its connection used again', async () => {
    const lab = await openLab([answer(200, 'not yet'), answer(200, 'now')]);
    const { asked, done, retryIf } = thinker();
    let questions = 0;
    const agent = openAgent();
    const dispatcher = agent.compose(
      retry({
        ...soon,
        schedule: { kind: 'fixed', waitMs: 50, jitter: 'none' },
        retryIf: (outcome, request) => {
          questions += 1;
          return questions === 1 ? retryIf(outcome, request) : undefined;
        },
      }),
    );
    const pending = undici.request(lab.origin, { dispatcher });
    await asked;
    done.resolve(true);
    expect(await (await pending).body.text()).toBe('now');
    expect(lab.connections).toBe(1);
  });
});

function streamOf(...chunks: string[]) {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
      controller.close();
    },
  }) as never;
}
