/** The request for the rest of a broken body: in the same form, and none if no byte is missing. */

import { constants } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { answer } from '../../faults/lab.js';
import { soon } from '../kit.js';
import { openH2AgentForResets, openH2Lab, wires } from './h2-client.js';
import { record } from './recorder.js';
import { content, cut, download, expectBroken, expectWhole, head, rest } from './resume-download.js';
import { etag, partly } from './resume-file.js';

describe('the coding of the rest', () => {
  const headers = { 'accept-encoding': 'gzip, br' };

  test('is none, where the first part had none', async () => {
    const first = partly(200, head, { sent: cut, ends: 'fin' });
    const second = partly(206, rest, { from: cut, sent: 600, ends: 'end' });
    const done = await download([first, second], { headers });
    expectWhole(done, content);
    expect(done.lab.requests.map(({ headers: sent }) => sent['accept-encoding'])).toEqual([
      'gzip, br',
      'identity',
    ]);
  });

  test('is left to be agreed as it was, where it had one', async () => {
    const coded = { 'content-encoding': 'br' };
    const first = partly(200, { ...head, ...coded }, { sent: cut, ends: 'fin' });
    const second = partly(206, { ...rest, ...coded }, { from: cut, sent: 600, ends: 'end' });
    const done = await download([first, second], { headers });
    expectWhole(done, content);
    expect(done.lab.requests.map(({ headers: sent }) => sent['accept-encoding'])).toEqual([
      'gzip, br',
      'gzip, br',
    ]);
  });
});

describe('units that only look like bytes', () => {
  test('where the server takes ranges of them, nothing is asked for', async () => {
    const first = partly(200, { ...head, 'accept-ranges': 'bytes-like' }, { sent: cut, ends: 'fin' });
    const done = await download([first, answer(200)]);
    expectBroken(done, content.subarray(0, cut));
    expect(done.lab.requests).toHaveLength(1);
  });

  test('are not what was asked for', async () => {
    const first = partly(200, head, { sent: cut, ends: 'fin' });
    const range = { 'content-range': 'kilobytes 400-999/1000' };
    const second = partly(206, { ...rest, ...range }, { from: cut, sent: 600, ends: 'end' });
    expectBroken(await download([first, second]), content.subarray(0, cut));
  });
});

test.each(wires)('over $name, of a stream that is reset after its last byte, nothing', async (wire) => {
  const code = constants.NGHTTP2_INTERNAL_ERROR;
  const lab = await openH2Lab(
    {
      steps: [
        { do: 'head', status: 200, headers: { 'content-length': '400', 'accept-ranges': 'bytes', etag } },
        { do: 'fill', bytes: 400 },
        { do: 'rst-stream', code },
      ],
    },
    wire,
  );
  const agent = openH2AgentForResets(wire).compose(retry(soon));
  const heard = await record(agent, { origin: lab.origin }).end();
  expect(heard.bytes.equals(content.subarray(0, 400))).toBe(true);
  expect([heard.ends, lab.requests.length]).toEqual([1, 1]);
});
