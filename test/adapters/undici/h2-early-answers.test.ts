/**
 * A server that sheds load answers an upload before it has read it. The attempt is then given up in the middle of its
 * body, which must not cost the process: Node could loop for ever in native code. Only a process of its own shows that.
 * (h2-uploads-blocked.test.ts shows why.)
 */

import { describe, expect, test } from 'vitest';
import { programsOf } from '../programs.js';
import { isFirst7, major, undici } from './client.js';

const program = programsOf('undici');

/** The server is another process: in the client's own one, its turns would hide the fault. */
const server = `
  const { createServer } = require('node:http2');
  const server = createServer();
  server.on('sessionError', () => undefined);
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    if (process.argv[1] === 'silent') return;
    stream.respond({ ':status': 503 });
    stream.end('busy');
  });
  process.on('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
`;

const sources: [name: string, code: string][] = [
  ['an async generator', 'chunks()'],
  ['a slow Readable', 'Readable.from(chunks(), { objectMode: false })'],
  ['a web stream', 'Readable.toWeb(Readable.from(chunks(), { objectMode: false }))'],
  ['a factory', 'chunks'],
];

/** Sends sixty uploads at once, and tells how they ended. */
function uploads(source: string, { policy = '{}', play = 'early', abortMs = 0 } = {}): string {
  return `
    import { spawn } from 'node:child_process';
    import { once } from 'node:events';
    import { Readable } from 'node:stream';
    import { setTimeout } from 'node:timers/promises';

    const stdio = ['ignore', 'ignore', 'ignore', 'ipc'];
    const server = spawn(process.execPath, ['--eval', ${JSON.stringify(server)}, '${play}'], { stdio });
    const [port] = await once(server, 'message');
    async function* chunks() {
      for (let count = 0; count < 50; count += 1) {
        yield Buffer.alloc(16_384);
        await setTimeout(1);
      }
    }
    const connect = client.buildConnector({ allowH2: true, useH2c: true });
    const agent = new client.Agent({ allowH2: true, connections: 1, connect });
    const wait = { kind: 'fixed', waitMs: 1, jitter: 'none' };
    const policy = { maxRetries: 2, schedule: wait, budget: false, ...${policy} };
    const dispatcher = agent.compose(undaunted.retry(policy));
    const send = async () => {
      const signal = ${abortMs} === 0 ? undefined : AbortSignal.timeout(${abortMs});
      const options = { dispatcher, method: 'PUT', body: ${source}, signal };
      const { statusCode, body } = await client.request('http://127.0.0.1:' + port, options);
      await body.dump();
      return statusCode;
    };
    const all = await Promise.allSettled(Array.from({ length: 60 }, send));
    console.log(all.filter(({ status, value }) => value === 503 || status === 'rejected').length);
    server.disconnect();
    process.exit();
  `;
}

/** Without a proxy or TLS, only these speak HTTP/2. */
const speaksH2c = String(undici.buildConnector).includes('useH2c');

describe.runIf(speaksH2c && major > 6 && !isFirst7)('sixty uploads over HTTP/2 end', () => {
  test.each(sources)('if the server answers early: %s', async (_name, source) => {
    expect(await program(uploads(source))).toBe('60\n');
  });

  describe.each(['silent', 'early'])('if the server is %s, and', (play) => {
    test.each([
      ['the timeout of an attempt', { policy: '{ attemptTimeoutMs: 40 }' }],
      ['the deadline', { policy: '{ deadlineMs: 60 }' }],
      ['the caller', { abortMs: 40 }],
      ['a hedge that wins or loses', { policy: '{ hedge: { afterMs: 5 }, deadlineMs: 300 }' }],
    ])('%s ends them', async (_name, given) => {
      expect(await program(uploads('chunks', { play, ...given }))).toBe('60\n');
    });
  });
});
