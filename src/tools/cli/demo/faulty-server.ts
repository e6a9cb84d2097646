/** A faulty server on this machine, which records its requests. */

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Act =
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is cut after the request has arrived. */
  | { readonly kind: 'hang-up' }
  /** Never answers. */
  | { readonly kind: 'silence' };

export interface Visit {
  readonly key: string | undefined;
}

/** What it does with the requests for one path, in order; the last act is repeated. */
export type Script = readonly Act[];

/** Closing an idle connection would be a failure that is not in the script. */
const unhurried = { keepAliveTimeout: 60_000 };

export class FaultyServer {
  readonly #server = createServer(unhurried, (request, response) => this.#receive(request, response));
  readonly #visits: Map<string, Visit[]> = new Map();
  readonly #scripts: ReadonlyMap<string, Script>;

  /** By path. */
  constructor(scripts: ReadonlyMap<string, Script>) {
    this.#scripts = scripts;
  }

  /** Returns its origin. */
  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  visitsTo(path: string): readonly Visit[] {
    return this.#visits.get(path) ?? [];
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { url: path = '/', headers } = request;
    const key = headers['idempotency-key'];
    const visits = [...this.visitsTo(path), { key: key?.toString() }];
    this.#visits.set(path, visits);
    const script = this.#scripts.get(path) ?? [];
    const act = script[visits.length - 1] ?? script.at(-1) ?? { kind: 'answer', status: 404 };
    // Cut off earlier, the request might count as never sent.
    request.resume().once('end', () => perform(act, request, response));
  }
}

function perform(act: Act, request: IncomingMessage, response: ServerResponse): void {
  if (act.kind === 'answer') response.writeHead(act.status, act.headers).end();
  if (act.kind === 'hang-up') request.socket.destroy();
}
