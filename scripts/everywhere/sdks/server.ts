/** A server that gives scripted answers and keeps the requests. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The parts of a request that have to be the same in each attempt. */
export interface Asked {
  readonly line: string;
  readonly body: string;
  readonly key: string | undefined;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** The last status is repeated. Refusals have a Retry-After. */
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
      // The Elasticsearch client requires it.
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
