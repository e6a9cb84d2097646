/** Makes one request of the differential run, and records what the server and the caller saw. */

import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import { startH2Lab } from '../../faults/h2-lab.js';
import {
  type AnswerStep,
  answer,
  fin,
  type Lab,
  type Play,
  refusedOrigin,
  startLab,
} from '../../faults/lab.js';
import { endOf, wireOf } from '../differential/seen.js';
import { half, happens, momentOf, plays } from '../differential/stage.js';
import { axios } from './client.js';
import { type AnswerKind, configOf, interceptors, type Shape } from './differential-shapes.js';
import { type Source, sourceOf } from './differential-sources.js';

/** An instance, bare or with attachRetry(), and the `retry` option of each request. */
export interface Client {
  readonly attach: (instance: AxiosInstance) => unknown;
  readonly options?: AxiosRequestConfig;
}

export interface Seen {
  readonly wire: readonly unknown[];
  readonly connections: number;
  readonly caller: unknown;
  readonly source: unknown;
}

const zipped = String(gzipSync('good').toString('latin1'));
const isZipped = { 'content-encoding': 'gzip' };
const json = { 'content-type': 'application/json' };

const answers: Readonly<Record<AnswerKind, Play | readonly Play[]>> = {
  ...plays,
  '200 of JSON': answer(200, '{"a":1}', json),
  '404': answer(404, 'no'),
  '503 of JSON': answer(503, '{"why":"busy"}', json),
  'end before the head': fin(),
  'a body cut short': half({ do: 'fin' }),
  gzip: answer(200, zipped, isZipped),
  'corrupt gzip': answer(200, 'this is not gzip', isZipped),
  redirect: [answer(302, '', { location: '/there' }), answer(200, 'good')],
  'redirect that keeps the method': [answer(307, '', { location: '/there' }), answer(200, 'good')],
  'redirect to 503': [answer(302, '', { location: '/there' }), answer(503, 'busy')],
};

/** `timeoutMs` replaces the shape's own timeout, if it has one. */
export async function play(shape: Shape, client: Client, timeoutMs?: number): Promise<Seen> {
  const isH2 = shape.adapter === 'http over HTTP/2';
  const script = answers[shape.answer];
  const lab = isH2 ? await startH2Lab(script as Play<AnswerStep>) : await startLab(script);
  const refused = isH2 ? 'https://127.0.0.1:1' : await refusedOriginIf(shape);
  const agent = new Agent({ keepAlive: true });
  const source = sourceOf(shape.source);
  try {
    const call = new Call(shape, source, shape.answer === 'refused port' ? refused : lab.origin, lab as Lab);
    const hasTimeout = timeoutMs !== undefined && configOf(shape).timeout !== undefined;
    const options = { ...client.options, ...(hasTimeout && { timeout: timeoutMs }) };
    const asked = call.make(instanceOf(shape, agent, client), options);
    const caller = await Promise.race([asked, setTimeout(10_000, 'it hangs', { ref: false })]);
    for (let turn = 0; turn < 30; turn += 1) await setImmediate();
    agent.destroy();
    if (shape.adapter === 'http') await lab.until(({ openSockets }) => openSockets === 0);
    return {
      wire: lab.requests.map((request) => wireOf(request, neutral)),
      connections: lab.connections,
      caller,
      source: endOf(source),
    };
  } finally {
    agent.destroy();
    await lab.close();
  }
}

async function refusedOriginIf({ answer: kind }: Shape): Promise<string> {
  return kind === 'refused port' ? refusedOrigin() : '';
}

function instanceOf({ adapter, setting }: Shape, httpAgent: Agent, { attach }: Client): AxiosInstance {
  const overH2 = { adapter: 'http', httpVersion: 2, http2Options: { rejectUnauthorized: false } };
  const defaults = adapter === 'http over HTTP/2' ? overH2 : { adapter, httpAgent };
  const instance = axios.create(defaults as object);
  const interceptor = setting === undefined ? undefined : interceptors[setting];
  if (interceptor !== undefined) instance.interceptors.request.use(interceptor);
  attach(instance);
  if (interceptor !== undefined) instance.interceptors.request.use(interceptor);
  return instance;
}

/** Without random values, such as boundaries. */
function neutral(given: string): string {
  return given
    .replaceAll(/127\.0\.0\.1:\d+/g, 'host')
    .replaceAll(/(axios-[\d.]+-boundary-)[\w-]+/g, '$1x')
    .replaceAll(/(formdata-undici-)0\d+/g, '$1x')
    .replaceAll(/-{10,}[\w]+/g, '--boundary');
}

class Call {
  readonly #shape: Shape;
  readonly #source: Source;
  readonly #origin: string;
  readonly #lab: Lab;
  readonly #controller = new AbortController();
  readonly #token = axios.CancelToken.source();
  #config: AxiosRequestConfig = {};

  constructor(shape: Shape, source: Source, origin: string, lab: Lab) {
    this.#shape = shape;
    this.#source = source;
    this.#origin = origin;
    this.#lab = lab;
  }

  async make(instance: AxiosInstance, options: AxiosRequestConfig = {}): Promise<unknown> {
    const { event = '', method } = this.#shape;
    const { body } = this.#source;
    this.#config = {
      url: `${this.#origin}/path`,
      method,
      ...(body !== undefined && { data: body }),
      ...(event.startsWith('abort') && { signal: this.#controller.signal }),
      ...(event.startsWith('token') && { cancelToken: this.#token.token }),
      ...configOf(this.#shape),
      ...options,
    };
    if (event.endsWith('before')) this.#happens();
    const asked = instance.request(this.#config);
    this.#source.fill?.();
    if (event.endsWith('at once')) this.#happens();
    else if (event.includes('while')) void this.#later();
    try {
      const response = await asked;
      const { data } = response;
      if (event === 'abort while it reads') void this.#later();
      const told = { ...(await this.#described(response)), read: await readOf(data) };
      if (event === 'abort after') this.#happens();
      return { response: told };
    } catch (error) {
      return { error: await this.#told(error) };
    }
  }

  async #later(): Promise<void> {
    await momentOf(this.#shape.event ?? '', this.#lab, 3);
    this.#happens();
  }

  #happens(): void {
    const { event = '' } = this.#shape;
    const giveUp = (): void =>
      event.startsWith('token') ? this.#token.cancel('left') : this.#controller.abort();
    happens(event, giveUp, this.#source.stream);
  }

  // -------------------------------------------------------------- what the caller sees

  async #described(response: unknown): Promise<object | undefined> {
    if (typeof response !== 'object' || response === null) return undefined;
    const { status, statusText, headers, config, request, data } = response as Record<string, unknown>;
    return {
      keys: Object.keys(response).sort(),
      kind: kindOf(response),
      status,
      statusText,
      headers: headersOf(headers),
      config: this.#configOf(config),
      request: kindOf(request),
      data: kindOf(data),
    };
  }

  #configOf(config: unknown): object | undefined {
    if (typeof config !== 'object' || config === null) return undefined;
    const { retry: _ours, ...rest } = config as Record<string, unknown>;
    const known = new Map<unknown, string>([
      [this.#source.body ?? this.#source, 'the body'],
      [this.#controller.signal, 'the signal'],
      [this.#token.token, 'the token'],
    ]);
    const entries = Object.entries(rest).map(([key, value]) => [
      key,
      key === 'headers' ? headersOf(value) : (known.get(value) ?? plainOf(value)),
    ]);
    return Object.fromEntries(entries.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)));
  }

  async #told(error: unknown): Promise<unknown> {
    if (!(error instanceof Error)) return { kind: kindOf(error), ...(error as object) };
    const { name, message, code, cause, config, response, request, status } = error as Error &
      Record<string, unknown>;
    return {
      kind: error.constructor.name,
      keys: Object.keys(error).sort(),
      name,
      message: neutral(message),
      code,
      status,
      config: this.#configOf(config),
      request: kindOf(request),
      response: await this.#described(response),
      read: await readOf((response as { data?: unknown } | undefined)?.data),
      ...(cause !== undefined && { cause: await this.#told(cause) }),
    };
  }
}

/** The readable part of a response, and how it ends. */
async function readOf(data: unknown): Promise<unknown> {
  if (data instanceof Readable || data instanceof globalThis.ReadableStream) {
    try {
      return { text: await text(data as Readable) };
    } catch (error) {
      const { name, message, code } = error as NodeJS.ErrnoException;
      return { name, message: neutral(message), code };
    }
  }
  if (data instanceof Blob) return data.text();
  if (data instanceof ArrayBuffer) return String(Buffer.from(data));
  return Buffer.isBuffer(data) ? String(data) : data;
}

function headersOf(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return headers;
  const entries = Object.entries({ ...headers }).filter(([name]) => name !== 'date');
  return [kindOf(headers), ...entries.map(([name, value]) => `${name}: ${neutral(String(value))}`)];
}

function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.getPrototypeOf(value)?.constructor?.name ?? 'null prototype';
}

function plainOf(value: unknown): unknown {
  if (typeof value === 'string') return neutral(value);
  if (typeof value === 'function') return `function ${value.name}`;
  if (Array.isArray(value)) return value.map(plainOf);
  if (value instanceof Agent) return 'Agent';
  const kind = kindOf(value);
  if (kind === 'Object' || kind === 'null prototype') {
    return Object.fromEntries(Object.entries(value as object).map(([key, part]) => [key, plainOf(part)]));
  }
  return typeof value === 'object' && value !== null ? kind : value;
}
