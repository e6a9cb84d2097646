/** A server that answers as it is told, and keeps what it was asked. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What was sent, as far as it has to be the same in each attempt. */
export interface Asked {
  readonly line: string;
  readonly body: string;
  readonly key: string | undefined;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** The last status stands for all that follow. Refusals say when to come again. */
export async function serve(statuses: readonly number[], answer: unknown): Promise<TestServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const status = statuses[Math.min(asked.length, statuses.length - 1)] ?? 200;
    const body = await buffer(request);
    asked.push({
      line: `${request.method} ${request.url}`,
      body: body.toString('base64'),
      key: request.headers['idempotency-key']?.toString(),
    });
    response.writeHead(status, {
      'content-type': 'application/json',
      // The Elasticsearch client asks for it.
      'x-elastic-product': 'Elasticsearch',
      ...(status >= 400 && { 'retry-after-ms': '1' }),
    });
    response.end(JSON.stringify(status < 400 ? answer : { error: { message: 'come again' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
