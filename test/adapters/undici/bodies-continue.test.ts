/**
 * Bodies that wait for the server's "100 Continue": a body that the server did not ask for was not read, and can be
 * sent again.
 */

import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ca } from '../../faults/certificates.js';
import { type H2Lab, type H2Play, startH2Lab } from '../../faults/h2-lab.js';
import { answer } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { openAgent, retryingAgent } from './kit.js';

async function openH2Lab(script: H2Play | readonly H2Play[]): Promise<H2Lab> {
  const lab = await startH2Lab(script);
  onTestFinished(() => lab.close());
  return lab;
}

function granted(status: number): H2Play {
  const wait = { do: 'cue', name: 'the body is in' } as const;
  return { at: 'head', steps: [{ do: 'head', status: 100 }, wait, ...answer(status).steps] };
}

const refused = (status: number): H2Play => ({ ...answer(status), at: 'head' });

async function* generated(): AsyncGenerator<string> {
  yield 'the ';
  yield 'body';
}

const bodies: [string, () => unknown][] = [
  ['text', () => 'the body'],
  ['a generator', generated],
  ['a factory', () => () => generated()],
];

describe.each(bodies)('HTTP/2, expectContinue, %s', (_name, make) => {
  /** Returns the status. The answer's body is read, since undici 6 otherwise throws at the end of the test. */
  const put = async (lab: H2Lab, bufferBodyBytes = 0): Promise<number> => {
    const options = { allowH2: true, connect: { ca } };
    const response = await retryingAgent({ ...soon, bufferBodyBytes }, options).request({
      origin: lab.origin,
      path: '/',
      method: 'PUT',
      body: make() as Readable,
      expectContinue: true,
    } as Dispatcher.RequestOptions);
    await response.body.dump();
    return response.statusCode;
  };

  test('a transient refusal: the body goes out once, to the server that asks for it', async () => {
    const lab = await openH2Lab([refused(503), refused(503), granted(200)]);
    const asked = put(lab);
    await lab.until(({ requests }) => requests[2]?.complete === true);
    lab.cue('the body is in');
    expect(await asked).toBe(200);
    expect(lab.requests.map(({ body }) => body.toString())).toEqual(['', '', 'the body']);
    expect(lab.requests.map(({ headers }) => headers['expect'])).toEqual(Array(3).fill('100-continue'));
  });

  test('417 is final', async () => {
    const lab = await openH2Lab([refused(417), granted(200)]);
    expect(await put(lab)).toBe(417);
    expect(lab.requests.map(({ body }) => body.toString())).toEqual(['']);
  });

  test('a failure after the body was asked for: it is sent again, if it was kept', async () => {
    const lab = await openH2Lab([granted(503), granted(200)]);
    const asked = put(lab, 100);
    await lab.until(({ requests }) => requests[0]?.complete === true);
    lab.cue('the body is in');
    expect(await asked).toBe(200);
    await lab.until(({ requests }) => requests[1]?.complete === true);
    expect(lab.requests.map(({ body }) => body.toString())).toEqual(['the body', 'the body']);
  });
});

test('HTTP/1.1: undici does not support it, and reports so once', async () => {
  const lab = await openLab(answer(200));
  const ask = (dispatcher: Dispatcher): Promise<Dispatcher.ResponseData> =>
    dispatcher.request({
      origin: lab.origin,
      path: '/',
      method: 'PUT',
      headers: { expect: '100-continue' },
      body: 'x',
    });
  const bare = await settled(ask(openAgent()));
  expect(bare.error).toMatchObject({ code: 'UND_ERR_NOT_SUPPORTED' });
  expect(await settled(ask(retryingAgent()))).toEqual(bare);
  expect(lab.requests).toHaveLength(0);
});
