/** Requests that HTTP/2 itself ends: by a reset of the stream, or a GOAWAY. */

import { constants } from 'node:http2';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf, type PolicyOptions } from '../../../src/index.js';
import { goaway, type H2LabScript, rstStream } from '../../faults/h2-lab.js';
import { answer } from '../../faults/lab.js';
import { settled, soon } from '../kit.js';
import { major } from './client.js';
import {
  hearsCancel,
  hearsGoaway,
  multiplexes,
  openH2AgentForResets,
  openH2Lab,
  wires,
} from './h2-client.js';

const { NGHTTP2_NO_ERROR, NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = constants;
const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_ENHANCE_YOUR_CALM } = constants;

const unclear = (
  [
    ['INTERNAL_ERROR', NGHTTP2_INTERNAL_ERROR, 'ERR_HTTP2_STREAM_ERROR'],
    ['ENHANCE_YOUR_CALM', NGHTTP2_ENHANCE_YOUR_CALM, 'ERR_HTTP2_STREAM_ERROR'],
    ['NO_ERROR', NGHTTP2_NO_ERROR, 'UND_ERR_INFO'],
    ['CANCEL', NGHTTP2_CANCEL, 'UND_ERR_INFO'],
  ] as const
).filter(([name]) => hearsCancel || name !== 'CANCEL');

describe.each(wires)('over $name', (wire) => {
  async function send(method: string, script: H2LabScript, policy: PolicyOptions = {}, body?: unknown) {
    const lab = await openH2Lab(script, wire);
    const agent = openH2AgentForResets(wire).compose(retry({ ...soon, ...policy }));
    const sent = body ?? (method === 'GET' ? null : 'pay');
    const asked = agent.request({ origin: lab.origin, path: '/', method, body: sent as Readable });
    const { value, error } = await settled(asked);
    await value?.body.dump();
    const history = historyOf(value ?? error) ?? [];
    return {
      status: value?.statusCode,
      error,
      sent: lab.requests.length,
      connections: lab.connections,
      findings: history.map(({ decision: { finding } }) => `${finding.class}, ${finding.evidence}`),
      last: history.at(-1)?.decision.reason,
    };
  }

  describe('a stream that is refused was not looked at', () => {
    const refused = rstStream(NGHTTP2_REFUSED_STREAM);

    test.each(['GET', 'POST'])('%s is sent again', async (method) => {
      expect(await send(method, [refused, answer(200)])).toMatchObject({
        status: 200,
        sent: 2,
      });
    });

    test.each(['GET', 'POST'])('%s: as often as it may be', async (method) => {
      expect(await send(method, [refused, refused, refused, answer(200)])).toMatchObject({
        status: 200,
        sent: 4,
      });
    });

    test('POST from a source that can be read once', async () => {
      const body = Readable.from(['pay']);
      expect(await send('POST', [refused, answer(200)], {}, body)).toMatchObject({ status: 200, sent: 2 });
    });

    test('… and with nothing kept: the part that was read is gone', async () => {
      const body = Readable.from(['pay']);
      const outcome = await send('POST', [refused, answer(200)], { bufferBodyBytes: 0 }, body);
      expect(outcome).toMatchObject({
        error: { code: 'ERR_HTTP2_STREAM_ERROR' },
        sent: 1,
        findings: ['transient, unsent'],
        last: 'body-spent',
      });
    });

    test("each time: undici's own error, after a bounded number of attempts", async () => {
      const outcome = await send('GET', refused, { maxRetries: 2 });
      expect(outcome).toMatchObject({ error: { code: 'ERR_HTTP2_STREAM_ERROR' }, last: 'retries-spent' });
      // undici 8 itself sends each attempt twice.
      expect(outcome.sent).toBe(major > 7 ? 6 : 3);
    });

    test('undici 7 and 6 leave it to the policy', async () => {
      const outcome = await send('POST', [refused, answer(200)], { unsafeMethods: 'never' });
      expect(outcome.status).toBe(major > 7 ? 200 : undefined);
    });
  });

  describe('a stream that is reset before its answer may have been worked on', () => {
    test.each(unclear)('%s', async (_name, number, code) => {
      const script = [rstStream(number), answer(200)];
      expect(await send('GET', script)).toMatchObject({ status: 200, sent: 2 });
      expect(await send('POST', script)).toMatchObject({
        error: { code },
        sent: 1,
        findings: ['transient, unknown'],
        last: 'unsafe-method',
      });
      expect(await send('POST', script, { idempotencyKey: true })).toMatchObject({ status: 200, sent: 2 });
    });

    test.each([
      'PROTOCOL_ERROR',
      'FLOW_CONTROL_ERROR',
      'SETTINGS_TIMEOUT',
      'STREAM_CLOSED',
      'FRAME_SIZE_ERROR',
      'COMPRESSION_ERROR',
      'CONNECT_ERROR',
      'INADEQUATE_SECURITY',
      'HTTP_1_1_REQUIRED',
    ] as const)('%s is final', async (name) => {
      const number = constants[`NGHTTP2_${name}`];
      expect(await send('GET', [rstStream(number), answer(200)])).toMatchObject({
        error: { code: 'ERR_HTTP2_STREAM_ERROR', message: expect.stringContaining(name) },
        sent: 1,
        findings: ['final, unknown'],
        last: 'final-error',
      });
    });
  });

  describe('GOAWAY', () => {
    const codes = [NGHTTP2_NO_ERROR, NGHTTP2_ENHANCE_YOUR_CALM];

    describe.skipIf(multiplexes || !hearsGoaway)('undici 6 and 7: every stream dies of it', () => {
      describe.each(codes)('with code %d', (code) => {
        test.each(['this', 'previous'] as const)('a GET is sent again (last stream: %s)', async (last) => {
          const outcome = await send('GET', [goaway(code, last), answer(200)]);
          expect(outcome).toMatchObject({ status: 200, sent: 2, connections: 2 });
          expect(outcome.findings).toEqual(['transient, unknown', 'final, unknown']);
        });

        test.each(['this', 'previous'] as const)('a POST is not (last stream: %s)', async (last) => {
          const outcome = await send('POST', [goaway(code, last), answer(200)]);
          const message = `HTTP/2: "GOAWAY" frame received with code ${code}`;
          expect(outcome).toMatchObject({ error: { code: 'UND_ERR_SOCKET', message }, sent: 1 });
          expect(outcome).toMatchObject({ findings: ['transient, unknown'], last: 'unsafe-method' });
        });
      });
    });

    describe.skipIf(!multiplexes)('undici 8', () => {
      test.each(['GET', 'POST'])('%s: a stream that was looked at is answered', async (method) => {
        const outcome = await send(method, [goaway(NGHTTP2_NO_ERROR, 'this', answer(200))]);
        expect(outcome).toMatchObject({ status: 200, sent: 1, last: 'success' });
      });

      test('… unless the session dies of an error: GET is sent again, POST is not', async () => {
        const script = [goaway(NGHTTP2_ENHANCE_YOUR_CALM, 'this', answer(200)), answer(200)];
        expect(await send('GET', script)).toMatchObject({ status: 200, sent: 2, connections: 2 });
        expect(await send('POST', script)).toMatchObject({
          error: { code: 'ERR_HTTP2_SESSION_ERROR' },
          sent: 1,
          findings: ['transient, unknown'],
          last: 'unsafe-method',
        });
      });

      test.each(codes)(
        'a stream that was not looked at is moved by undici itself (code %d)',
        async (code) => {
          const script = [goaway(code, 'previous'), answer(200)];
          for (const method of ['GET', 'POST']) {
            expect(await send(method, script)).toMatchObject({
              status: 200,
              sent: 2,
              connections: 2,
              findings: ['final, unknown'],
            });
          }
        },
      );

      test.each([
        [NGHTTP2_NO_ERROR, 'UND_ERR_INFO'],
        [NGHTTP2_ENHANCE_YOUR_CALM, 'UND_ERR_SOCKET'],
      ])(
        '… but a stream as body is not, and nothing proves that it was unsent (code %d)',
        async (number, code) => {
          const script = [goaway(number, 'previous'), answer(200)];
          const body = (): Readable => Readable.from(['pay']);
          expect(await send('PUT', script, {}, body())).toMatchObject({
            status: 200,
            sent: 2,
            connections: 2,
          });
          expect(await send('POST', script, {}, body())).toMatchObject({
            error: { code },
            sent: 1,
            findings: ['transient, unknown'],
            last: 'unsafe-method',
          });
        },
      );
    });
  });
});
