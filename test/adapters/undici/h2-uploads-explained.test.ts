/**
 * An HTTP/2 stream that is reset while it sends a stream fails as it would with a text body, so it may be retried
 * alike.
 */

import { constants } from 'node:http2';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf } from '../../../src/index.js';
import { rstStream } from '../../faults/h2-lab.js';
import { settled, soon } from '../kit.js';
import { hearsCancel, openH2AgentForResets, openH2Lab, wires } from './h2-client.js';

/** A body that never ends. */
async function* unfinished(): AsyncGenerator<Buffer> {
  yield Buffer.from('pay');
  await new Promise(() => undefined);
}

const resets = (
  [
    'NO_ERROR',
    'CANCEL',
    'INTERNAL_ERROR',
    'REFUSED_STREAM',
    'ENHANCE_YOUR_CALM',
    'PROTOCOL_ERROR',
    'STREAM_CLOSED',
    'HTTP_1_1_REQUIRED',
  ] as const
).filter((name) => hearsCancel || name !== 'CANCEL');

describe.each(wires)('over $name', (wire) => {
  async function fail(code: number, body: string | Readable) {
    const lab = await openH2Lab({ ...rstStream(code), at: 'head' }, wire);
    const agent = openH2AgentForResets(wire).compose(retry({ ...soon, maxRetries: 1 }));
    const asked = agent.request({ origin: lab.origin, path: '/', method: 'POST', body });
    const { error } = await settled(asked);
    const [first] = historyOf(error) ?? [];
    return { code: (error as { readonly code?: string }).code, finding: first?.decision.finding };
  }

  test.each(resets)('%s', async (name) => {
    const code = constants[`NGHTTP2_${name}`];
    const ofStream = await fail(code, Readable.from(unfinished(), { objectMode: false }));
    expect(ofStream).toEqual(await fail(code, 'pay'));
  });
});
