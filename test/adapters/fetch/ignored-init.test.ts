/** A fetch that ignores init beside a Request, as happy-dom's does: a retry is sent from URL and init. */

import { describe, expect, test } from 'vitest';
import { withRetry } from '../../../src/adapters/fetch/index.js';
import { ignoresInit } from '../../../src/drivers/built-anew.js';
import { soon } from '../kit.js';
import { undici } from './client.js';

/** As in happy-dom: the body of a Request is taken, and that of init is not. */
class OldBodyRequest extends Request {
  #isSent = false;
  readonly #body: BodyInit | null | undefined;

  constructor(input: string | OldBodyRequest, init: RequestInit = {}) {
    const body = input instanceof OldBodyRequest ? input.#body : init.body;
    const kept = input instanceof OldBodyRequest ? new TextEncoder().encode(String(body)) : body;
    super(input instanceof OldBodyRequest ? input.url : input, {
      ...(input instanceof OldBodyRequest && { method: input.method, headers: input.headers }),
      ...init,
      ...(kept !== undefined && kept !== null && { body: kept }),
    });
    this.#body = body;
  }

  override clone(): OldBodyRequest {
    return new OldBodyRequest(this);
  }

  /** Sends it as it is; the second time, it never ends. */
  async send(): Promise<Request> {
    if (this.#isSent) return new Promise(() => undefined);
    this.#isSent = true;
    return new Request(this);
  }
}

/** Answers with these statuses, and keeps what it receives. */
function deafFetch(...statuses: readonly number[]) {
  const received: (readonly [method: string, key: string | null, body: string])[] = [];
  const doFetch = async (input: string | OldBodyRequest, init?: RequestInit): Promise<Response> => {
    const request = typeof input === 'string' ? new Request(input, init) : await input.send();
    received.push([request.method, request.headers.get('x-key'), await request.text()]);
    return new Response(null, { status: statuses[received.length - 1] as number });
  };
  return { doFetch: doFetch as unknown as typeof fetch, received };
}

const url = 'https://a.example/';

function put(body?: string): OldBodyRequest {
  return new OldBodyRequest(url, { method: 'PUT', ...(body !== undefined && { body }) });
}

describe('it is seen', () => {
  test('where the body of init is ignored', () => {
    expect(ignoresInit(put('pay') as never)).toBe(true);
  });

  class Own extends Request {
    constructor(path: string) {
      super(`https://a.example/${path}`);
    }
  }

  test.each([
    ["the platform's", () => new Request(url)],
    ["undici's", () => new undici.Request(url)],
    ['with a constructor of its own', () => new Own('path')],
    ["a mock's", () => ({ url, method: 'GET', headers: new Headers() })],
    ['without a class', () => Object.assign(Object.create(null), { url, method: 'GET' })],
  ])('and not in a Request: %s', (_name, make) => {
    expect(ignoresInit(make() as never)).toBe(false);
  });
});

test('the body is sent again, whole', async () => {
  const { doFetch, received } = deafFetch(503, 503, 200);
  const request = put('pay');
  expect((await withRetry(doFetch, soon)(request)).status).toBe(200);
  expect(received).toEqual([
    ['PUT', null, 'pay'],
    ['PUT', null, 'pay'],
    ['PUT', null, 'pay'],
  ]);
});

test('even if init has one that was not sent', async () => {
  const { doFetch, received } = deafFetch(503, 200);
  expect((await withRetry(doFetch, soon)(put('pay'), { body: 'other' })).status).toBe(200);
  expect(received.map(([, , body]) => body)).toEqual(['pay', 'pay']);
});

test('a key is sent with each attempt, and the Request of the caller stays as it is', async () => {
  const { doFetch, received } = deafFetch(503, 200);
  const request = new OldBodyRequest(url, { method: 'POST', body: 'pay' });
  const idempotencyKey = { header: 'x-key', generate: () => 'one' };
  expect((await withRetry(doFetch, { ...soon, idempotencyKey })(request)).status).toBe(200);
  expect(received).toEqual([
    ['POST', 'one', 'pay'],
    ['POST', 'one', 'pay'],
  ]);
  expect(request.headers.get('x-key')).toBe(null);
});

test('so is what beforeRetry adds, without a body, too', async () => {
  const { doFetch, received } = deafFetch(503, 200);
  const beforeRetry = (context: { headers: Record<string, unknown> }): void => {
    context.headers['x-key'] = 'fresh';
  };
  await withRetry(doFetch, { ...soon, beforeRetry } as never)(new OldBodyRequest(url));
  expect(received).toEqual([
    ['GET', null, ''],
    ['GET', 'fresh', ''],
  ]);
});
