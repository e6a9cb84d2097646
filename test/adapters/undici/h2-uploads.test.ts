/** A body that is being sent when its stream ends: the server never takes part of it for all of it. */

import { constants } from 'node:http2';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { AttemptTimeoutError, createRetrier, historyOf, type PolicyOptions } from '../../../src/index.js';
import { type H2Lab, type H2Play, rstStream } from '../../faults/h2-lab.js';
import { answer, contentOf, type Received, silence } from '../../faults/lab.js';
import { HandTime } from '../hand-time.js';
import { settled, soon } from '../kit.js';
import { hearsCancel, openH2Agent, openH2AgentForResets, openH2Lab, wires } from './h2-client.js';
import { Deferred } from './kit.js';

const first = 'the first half, ';
const second = 'and the second';
const whole = first + second;

/** A source whose second half comes when the test says so. */
function halves() {
  const go = new Deferred();
  async function* source(): AsyncGenerator<Buffer> {
    yield Buffer.from(first);
    await go.promise;
    yield Buffer.from(second);
  }
  return { source, go: () => go.resolve() };
}

const kinds: [name: string, make: (source: () => AsyncGenerator<Buffer>) => unknown][] = [
  ['an async generator', (source) => source()],
  ['a Readable', (source) => Readable.from(source(), { objectMode: false })],
  ['a web stream', (source) => Readable.toWeb(Readable.from(source(), { objectMode: false }))],
  ['a factory', (source) => source],
];

const resets: [string, number][] = (['NO_ERROR', 'CANCEL', 'INTERNAL_ERROR', 'REFUSED_STREAM'] as const)
  .filter((name) => hearsCancel || name !== 'CANCEL')
  .map((name) => [name, constants[`NGHTTP2_${name}`]]);

const atHead = ({ steps }: H2Play): H2Play => ({ at: 'head', steps: [{ do: 'cue', name: 'go' }, ...steps] });

function halfHere({ requests }: Pick<H2Lab, 'requests'>): boolean {
  return requests[0]?.body.length === first.length;
}

const bodies = ({ requests }: H2Lab): string[] =>
  requests
    .filter(({ method }) => method === 'PUT')
    .map((request) => `${isWhole(request) ? 'whole' : 'broken off'}: ${request.body}`);

/** Complete in the server's eyes: it has ended, and has the announced length. */
function isWhole({ complete, body, headers }: Received): boolean {
  return complete && Number(headers['content-length'] ?? body.length) === body.length;
}

async function arrived(ended: Promise<{ readonly value?: Dispatcher.ResponseData }>): Promise<void> {
  const { value } = await ended;
  expect(value?.statusCode).toBe(200);
  await value?.body.dump();
}

describe.each(wires)('over $name', (wire) => {
  /** Sends the body, and returns once half of it has arrived. */
  async function put(
    plays: H2Play[],
    make: (typeof kinds)[number][1],
    policy: PolicyOptions = {},
    more = {},
  ) {
    const lab = await openH2Lab(plays, wire);
    const { source, go } = halves();
    const time = new HandTime();
    const retrier = createRetrier({ ...soon, ...policy }, { ...time.ports, sleep: time.ports.sleep });
    const agent = openH2AgentForResets(wire).compose(retry(retrier));
    const body = make(source) as Readable;
    const asked = agent.request({ origin: lab.origin, path: '/', method: 'PUT', body, ...more });
    const ended = settled(asked);
    await lab.until(halfHere);
    // Half has arrived; the client, in this same process, learns in its next turn that it was sent.
    await setImmediate();
    /** The requests that the server saw, once it has seen one that was sent later. */
    const heard = async (): Promise<readonly string[]> => {
      const later = await agent.request({ origin: lab.origin, path: '/later', method: 'GET' });
      await later.body.dump();
      return bodies(lab);
    };
    return { lab, time, go, ended, heard };
  }

  describe.each(kinds)('%s', (_name, make) => {
    test('an answer before its end, and another attempt: one of them is whole', async () => {
      const { lab, time, go, ended } = await put([atHead(answer(503, 'busy')), answer(200)], make);
      lab.cue('go');
      await time.until(({ timers }) => timers.some(({ delayMs }) => delayMs === 1));
      await time.fire(1);
      await lab.until(({ requests }) => requests[1]?.body.length === first.length);
      go();
      await arrived(ended);
      expect(bodies(lab)).toEqual([`broken off: ${first}`, `whole: ${whole}`]);
    });

    test('… also where its length was announced', async () => {
      const headers = { 'content-length': String(whole.length) };
      const { lab, time, go, ended } = await put([atHead(answer(503)), answer(200)], make, {}, { headers });
      lab.cue('go');
      await time.fire(1);
      go();
      await arrived(ended);
      expect(bodies(lab)).toEqual([`broken off: ${first}`, `whole: ${whole}`]);
    });

    test('a good answer before its end does not end it', async () => {
      const { lab, go, ended } = await put([atHead(answer(200, 'early'))], make);
      lab.cue('go');
      const { value } = await ended;
      expect(await value?.body.text()).toBe('early');
      go();
      await lab.until(({ requests }) => requests[0]?.complete === true);
      expect(bodies(lab)).toEqual([`whole: ${whole}`]);
    });

    test.each(resets)(
      'the server resets it with %s: it is sent again from its beginning',
      async (_name, code) => {
        const { lab, time, go, ended } = await put([atHead(rstStream(code)), answer(200)], make);
        lab.cue('go');
        await time.fire(1);
        go();
        await arrived(ended);
        expect(bodies(lab)).toEqual([`broken off: ${first}`, `whole: ${whole}`]);
      },
    );

    test('its attempt takes too long', async () => {
      const policy: PolicyOptions = { attemptTimeoutMs: 500, maxRetries: 0 };
      const { time, ended, heard } = await put([silence('head'), answer(200)], make, policy);
      await time.fire(500);
      const { error } = await ended;
      expect(error).toBeInstanceOf(AttemptTimeoutError);
      expect(historyOf(error)).toMatchObject([
        { decision: { finding: { class: 'transient', evidence: 'unknown' } } },
      ]);
      expect(await heard()).toEqual([`broken off: ${first}`]);
    });

    test('its caller gives it up', async () => {
      const giveUp = new AbortController();
      const { ended, heard } = await put([silence('head'), answer(200)], make, {}, { signal: giveUp.signal });
      giveUp.abort();
      expect((await ended).error).toMatchObject({ name: 'AbortError' });
      expect(await heard()).toEqual([`broken off: ${first}`]);
    });
  });

  test('a long body that is there as a whole, answered at once', async () => {
    const body = contentOf('a', 0, 3_000_000);
    const lab = await openH2Lab([{ ...answer(503), at: 'head' }, answer(200)], wire);
    const agent = openH2Agent(wire).compose(retry(soon));
    const response = await agent.request({ origin: lab.origin, path: '/', method: 'PUT', body });
    await response.body.dump();
    expect(response.statusCode).toBe(200);
    expect(lab.requests[1]?.body.equals(body)).toBe(true);
    const [request] = lab.requests;
    expect(request?.complete).toBe(request?.body.length === body.length);
  });
});
