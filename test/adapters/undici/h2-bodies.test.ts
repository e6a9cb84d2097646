/** A body that breaks off over HTTP/2 is resumed, and never taken for complete. */

import { constants } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { goaway, type H2Play, type H2Step } from '../../faults/h2-lab.js';
import { contentOf, type HeaderFields } from '../../faults/lab.js';
import { soon } from '../kit.js';
import { hearsGoaway, multiplexes, openH2AgentForResets, openH2Lab, wires } from './h2-client.js';
import { record } from './recorder.js';

const etag = '"v1"';
const size = 1000;
const content = contentOf('a', 0, size);
const head: HeaderFields = { 'content-length': String(size), 'accept-ranges': 'bytes', etag };

/** This many bytes from that offset, and then this step. */
function part(from: number, bytes: number, then: H2Step, headers: HeaderFields = head): H2Play {
  const status = from === 0 ? 200 : 206;
  return { steps: [{ do: 'head', status, headers }, { do: 'fill', bytes, from }, then] };
}

function rest(from: number): HeaderFields {
  const range = `bytes ${from}-${size - 1}/${size}`;
  return { 'content-length': String(size - from), 'content-range': range, etag };
}

const reset = (code: number): H2Step => ({ do: 'rst-stream', code });
const end: H2Step = { do: 'end' };

const codes: [string, number][] = (
  ['INTERNAL_ERROR', 'ENHANCE_YOUR_CALM', 'CANCEL', 'NO_ERROR'] as const
).map((name) => [name, constants[`NGHTTP2_${name}`]]);

describe.each(wires)('over $name', (wire) => {
  async function download(script: H2Play[]) {
    const lab = await openH2Lab(script, wire);
    const agent = openH2AgentForResets(wire).compose(retry(soon));
    const recorder = await record(agent, { origin: lab.origin }).end();
    expect(recorder).toMatchObject({ starts: 1, ends: 1 });
    expect(recorder.heads).toHaveLength(1);
    return { lab, recorder };
  }

  test.each(codes)('reset with %s: resumed', async (_name, code) => {
    const { lab, recorder } = await download([part(0, 400, reset(code)), part(400, 600, end, rest(400))]);
    expect(recorder.errors).toEqual([]);
    expect(recorder.bytes).toHaveLength(size);
    expect(recorder.bytes.equals(content)).toBe(true);
    expect(lab.requests[1]?.headers).toMatchObject({ range: 'bytes=400-999', 'if-range': etag });
  });

  test.each(codes)('reset with %s, and its rest too: whole, or an error', async (_name, code) => {
    const { recorder } = await download([
      part(0, 400, reset(constants.NGHTTP2_INTERNAL_ERROR)),
      part(400, 100, reset(code), rest(400)),
      part(500, 500, end, rest(500)),
    ]);
    if (recorder.errors.length === 0) expect(recorder.bytes).toHaveLength(size);
    expect(recorder.bytes.equals(content.subarray(0, recorder.bytes.length))).toBe(true);
  });

  test.each(codes)('reset with %s, and no validator: an error', async (_name, code) => {
    const { lab, recorder } = await download([
      part(0, 400, reset(code), { 'content-length': String(size) }),
      part(0, size, end),
    ]);
    expect(recorder.errors).toHaveLength(1);
    expect(recorder.bytes.equals(content.subarray(0, 400))).toBe(true);
    expect(lab.requests).toHaveLength(1);
  });

  test.skipIf(multiplexes || !hearsGoaway)(
    'GOAWAY, at which undici 6 and 7 end every stream: resumed',
    async () => {
      const dying = part(0, 400, { do: 'goaway', code: 0, last: 'this' });
      const { recorder } = await download([
        { steps: [...dying.steps, { do: 'stall' }] },
        part(400, 600, end, rest(400)),
      ]);
      expect(recorder.errors).toEqual([]);
      expect(recorder.bytes.equals(content)).toBe(true);
    },
  );

  test.skipIf(!multiplexes)('GOAWAY, at which undici 8 ends no stream', async () => {
    const { lab, recorder } = await download([goaway(0, 'this', part(0, size, end))]);
    expect(recorder.errors).toEqual([]);
    expect(recorder.bytes.equals(content)).toBe(true);
    expect(lab.requests).toHaveLength(1);
  });
});
