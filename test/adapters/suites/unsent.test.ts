/** A request that provably never left is sent once more; one that may have arrived is not sent again. */

import { constants } from 'node:http2';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { destroySession, goaway, type H2Play, rstStream } from '../../faults/h2-lab.js';
import {
  type Answer,
  answer,
  cutBody,
  fin,
  garbage,
  halfHead,
  keepAliveRace,
  type Play,
  refusedOrigin,
  rst,
} from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { type Asked, type Given, theSubject, type Way } from './subject.js';

const subject = await theSubject();
const [plain] = subject.ways;
const policy: PolicyOptions = { ...soon, maxRetries: 1 };
const money: Asked = { method: 'POST', headers: { 'x-id': 'a' }, body: 'money' };

/** Sends a payment, and returns the answer's text, or why it was not sent again. */
async function pay(way: Way, url: string, given: PolicyOptions, asked: Asked = money): Promise<unknown> {
  const reasons: string[] = [];
  const observe: PolicyOptions['observe'] = (event) => {
    if (event.type === 'decision') reasons.push(event.decision.reason);
  };
  const { value } = await settled(way.client({ ...given, observe } as Given)(url, asked));
  return value?.status === 200 ? value.text : reasons;
}

describe.each([...subject.ways, ...subject.overH2])('$name', (way) => {
  const scheme = subject.overH2.includes(way) ? 'https:' : 'http:';

  test.each([
    ['refused', async () => (await refusedOrigin()).replace('http:', scheme)],
    ['not to be found', async () => `${scheme}//name.invalid`],
  ])('a POST to a server that is %s is sent to the next one, once, if that is proven', async (_, nowhere) => {
    const lab = await way.open(answer(200, 'paid'));
    const given: PolicyOptions = {
      ...policy,
      beforeRetry: (context) => {
        context.url = `${lab.origin}/pay`;
      },
    };
    const told = await pay(way, `${await nowhere()}/pay`, given);
    expect(told).toEqual(way.provesNothing ? ['unsafe-method'] : 'paid');
    if (way.provesNothing) return;
    expect(lab.requests).toMatchObject([{ method: 'POST', path: '/pay', complete: true }]);
    expect(lab.requests[0]?.body.toString()).toBe('money');
  });

  test('unsafeMethods: never does not send it', async () => {
    const nowhere = (await refusedOrigin()).replace('http:', scheme);
    expect(await pay(way, `${nowhere}/pay`, { ...policy, unsafeMethods: 'never' })).toEqual([
      'unsafe-method',
    ]);
  });

  test.each([500, 502, 503, 504])('a POST that is answered with %i is sent once', async (status) => {
    const lab = await way.open([answer(status), answer(200)]);
    expect(await pay(way, lab.origin, policy)).toEqual(['unsafe-method']);
    expect(lab.applied('a')).toBe(1);
  });
});

test.each(subject.cutShort)(
  'a POST whose TLS handshake was cut off is sent on the next connection: $name',
  async (way) => {
    const lab = await way.open(answer(200, 'paid'));
    expect(await pay(way, lab.origin, policy)).toBe('paid');
    expect(lab.requests).toHaveLength(1);
  },
);

const { NGHTTP2_REFUSED_STREAM, NGHTTP2_NO_ERROR, NGHTTP2_INTERNAL_ERROR } = constants;

for (const way of subject.overH2) {
  describe(way.name, () => {
    const open = (play: H2Play) => way.open([play as Answer, answer(200, 'paid')]);

    test.each<[string, H2Play]>([
      ['refuses its stream', rstStream(NGHTTP2_REFUSED_STREAM)],
      ['goes away without having looked at it', goaway(NGHTTP2_NO_ERROR, 'previous')],
    ])('a POST to a server that %s is sent again', async (_, play) => {
      const lab = await open(play);
      expect(await pay(way, lab.origin, policy)).toBe('paid');
      expect(lab.requests).toHaveLength(2);
      expect(lab.requests[1]?.body.toString()).toBe('money');
    });

    test.each<[string, H2Play]>([
      ['resets its stream', rstStream(NGHTTP2_INTERNAL_ERROR)],
      ['resets the connection', destroySession('rst')],
    ])('a POST to a server that %s is sent once', async (_, play) => {
      const lab = await open(play);
      expect(await pay(way, lab.origin, policy)).toEqual(['unsafe-method']);
      expect(lab.requests).toHaveLength(1);
    });
  });
}

/** After each of these, the server may have done what was asked. */
const unclear: readonly (readonly [string, Play])[] = [
  ['hangs up', fin()],
  ['resets', rst()],
  ['resets as it arrives', rst('head')],
  ['hangs up in the head', halfHead('fin')],
  ['resets in the head', halfHead('rst')],
  ...(subject.attemptEnds === 'with the head'
    ? []
    : ([
        ['hangs up in the body', cutBody(100, 40, 'fin')],
        ['resets in the body', cutBody(100, 40, 'rst')],
      ] as const)),
];

describe.each(subject.ways)('$name', (way) => {
  const seen = unclear.filter(([name]) => !way.misreads?.includes(name));

  describe.each(seen)('a server that %s', (_, play) => {
    const ask = async (given: PolicyOptions, headers = {}): Promise<[number, unknown]> => {
      const lab = await openLab([play, answer(200, 'paid')]);
      const told = await pay(way, lab.origin, given, { ...money, headers });
      for (const { body, complete } of lab.requests) if (complete) expect(body.toString()).toBe('money');
      return [lab.requests.length, told];
    };

    test('gets a POST once', async () => {
      expect(await ask(policy)).toEqual([1, ['unsafe-method']]);
    });

    test('gets it again with a key, by a rule or on the caller’s word', async () => {
      expect(await ask(policy, { 'Idempotency-Key': '1' })).toEqual([2, 'paid']);
      expect(await ask({ ...policy, idempotencyKey: true })).toEqual([2, 'paid']);
      expect(await ask({ ...policy, idempotent: true })).toEqual([2, 'paid']);
      expect(await ask({ ...policy, retryIf: () => true })).toEqual([2, 'paid']);
    });

    test('gets a GET and a PUT again', async () => {
      for (const method of ['GET', 'PUT']) {
        const lab = await openLab([play, answer(200, 'yes')]);
        expect(await pay(way, lab.origin, policy, { method })).toBe('yes');
        expect(lab.requests).toHaveLength(2);
      }
    });
  });

  test('a server that does not answer in HTTP gets a POST once', async () => {
    const lab = await openLab([garbage(), answer(200, 'paid')]);
    expect(await pay(way, lab.origin, policy)).toEqual(['final-error']);
    expect(lab.requests).toHaveLength(1);
  });
});

test.each([
  ['fin', 'GET', 3],
  ['fin', 'POST', 2],
  ['rst', 'GET', 3],
  ['rst', 'POST', 2],
] as const)(
  'on a kept connection that closes as it arrives (%s), a %s reaches servers',
  async (how, method, requests) => {
    const lab = await openLab([keepAliveRace(how), answer(200, 'again')]);
    const send = plain.client(policy);
    await send(`${lab.origin}/first`);
    // Some clients get their connection back a turn later.
    await setImmediate();
    const { value } = await settled(send(lab.origin, { method }));
    // Including the first request, which opened the connection.
    expect(lab.requests).toHaveLength(requests);
    expect(value?.text).toBe(method === 'GET' ? 'again' : undefined);
  },
);
