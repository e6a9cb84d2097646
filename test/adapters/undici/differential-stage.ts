/** Makes one request of the differential run, and records what the server and the caller saw. */

import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { type Lab, type Play, refusedOrigin, startLab } from '../../faults/lab.js';
import { endOf, wireOf } from '../differential/seen.js';
import { half, happens, momentOf, plays } from '../differential/stage.js';
import { undici } from './client.js';
import type { AnswerKind, Shape } from './differential-shapes.js';
import { type Source, sourceOf } from './differential-sources.js';
import { isEarly7, native, recorder } from './generations.js';

/** The client, bare or with retry() over it, and the `retry` option of each request. */
export interface Client {
  readonly over: (agent: Dispatcher) => Dispatcher;
  readonly options?: object;
}

export interface Seen {
  readonly wire: readonly unknown[];
  readonly connections: number;
  /** How many requests were under way before the first was answered. */
  readonly pipelined: number;
  readonly callers: readonly unknown[];
  readonly sources: readonly unknown[];
}

const answers: Readonly<Record<AnswerKind, Play>> = {
  ...plays,
  '503 without a phrase': {
    steps: [{ do: 'write', text: 'HTTP/1.1 503 \r\ncontent-length: 4\r\n\r\nbusy' }],
  },
  'reset after the head': {
    steps: [
      { do: 'head', status: 200, headers: { 'content-length': '4' } },
      { do: 'cue', name: 'head' },
      { do: 'rst' },
    ],
  },
  'a body cut short': half({ do: 'cue', name: 'head' }, { do: 'fin' }),
  switched: {
    at: 'head',
    steps: [{ do: 'head', status: 101, headers: { connection: 'upgrade', upgrade: 'echo' } }, { do: 'echo' }],
  },
};

/** `most`: the number of requests that were seen under way at once before. */
export async function play(shape: Shape, client: Client, most = 1): Promise<Seen> {
  const { times = 1 } = shape;
  const script = answers[shape.answer];
  const held: Play = { ...script, steps: [{ do: 'cue', name: 'go' }, ...script.steps] };
  const lab = await startLab(times === 1 ? script : [held, script]);
  const origin = shape.answer === 'refused port' ? await refusedOrigin() : lab.origin;
  const agent = new undici.Agent(times === 1 ? {} : { connections: 1, pipelining: 10 });
  const dispatcher = client.over(agent);
  try {
    const calls = await Promise.all(Array.from({ length: times }, () => sourceOf(shape.source)));
    const asked = calls.map((source) => new Call(shape, source, origin, client, lab).make(dispatcher));
    let pipelined = 1;
    if (times > 1) {
      await lab.until(({ requests }) => requests[0]?.complete === true);
      pipelined = await underWay(lab, most);
      lab.cue('go');
    }
    const callers = await Promise.race([
      Promise.all(asked),
      setTimeout(30_000, ['it hangs'], { ref: false }),
    ]);
    const inbound = await Promise.all(calls.map(({ answered }) => answered?.()));
    await agent.destroy();
    await lab.until(({ openSockets }) => openSockets === 0);
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    return {
      wire: lab.requests.map((request) => wireOf(request, neutral)),
      connections: lab.connections,
      pipelined,
      callers,
      sources: calls.map((source, index) => ({ ...endOf(source), inbound: inbound[index] })),
    };
  } finally {
    await agent.destroy();
    await lab.close();
  }
}

/** Waits for the number of requests that was seen before, since a missing request is not an event. */
async function underWay(lab: Lab, most: number): Promise<number> {
  for (let turn = 0; turn < 20 || (lab.requests.length < most && turn < 1_000); turn += 1) {
    await setTimeout(1);
  }
  return lab.requests.length;
}

/** Without random values, such as boundaries. */
function neutral(given: string): string {
  return given.replaceAll(/127\.0\.0\.1:\d+/g, 'host').replaceAll(/formdata-undici-0\d+/g, 'boundary');
}

function told(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, code, cause } = error as NodeJS.ErrnoException;
  const kind = error.constructor.name;
  return { kind, name, message: neutral(message), code, ...(cause !== undefined && { cause: told(cause) }) };
}

class Call {
  readonly #shape: Shape;
  readonly #source: Source;
  readonly #origin: string;
  readonly #client: Client;
  readonly #lab: Lab;
  readonly #giveUp = new AbortController();

  constructor(shape: Shape, source: Source, origin: string, client: Client, lab: Lab) {
    this.#shape = shape;
    this.#source = source;
    this.#origin = origin;
    this.#client = client;
    this.#lab = lab;
  }

  async make(dispatcher: Dispatcher): Promise<unknown> {
    const { event } = this.#shape;
    if (event === 'abort before') this.#giveUp.abort();
    const ended = this.#ask(dispatcher);
    if (this.#shape.api !== 'pipeline') this.#source.fill?.(this.#source.body as never);
    if (event?.endsWith('at once')) this.#happens();
    else if (event?.endsWith('uploads') || event?.endsWith('waits')) void this.#later(event);
    try {
      return await ended;
    } catch (error) {
      return told(error);
    }
  }

  async #later(event: string): Promise<void> {
    await momentOf(event, this.#lab, 1);
    this.#happens();
  }

  #happens(): void {
    const { event = '' } = this.#shape;
    const { stream } = this.#source;
    const broken = Object.assign(new Error('the source is broken'), { code: 'EBROKEN' });
    // For a stream that was read completely, undici learns of a failure in no other way.
    if (event === 'source breaks while it waits') stream?.emit('error', broken);
    else happens(event, () => this.#giveUp.abort(), stream);
  }

  get #options(): Dispatcher.RequestOptions {
    const { method, contentLength, event, times } = this.#shape;
    const headers = { 'X-Own': 'a', ...(contentLength !== undefined && { 'content-length': contentLength }) };
    const { body } = this.#source;
    return {
      origin: this.#origin,
      path: '/path?a=b',
      method: method as 'GET',
      headers,
      ...(body !== undefined && { body: body as string }),
      ...(event?.startsWith('abort') && { signal: this.#giveUp.signal }),
      // undici pipelines only with both options.
      ...(times !== undefined && { blocking: false, idempotent: true }),
      ...this.#client.options,
    };
  }

  async #ask(dispatcher: Dispatcher): Promise<unknown> {
    const options = this.#options;
    switch (this.#shape.api) {
      case 'request': {
        const { statusCode, headers, trailers, body } = await dispatcher.request(options);
        return { statusCode, headers, ...(await this.#read(text(body))), trailers };
      }
      case 'stream': {
        const pieces: string[] = [];
        let head: unknown;
        const { trailers } = await dispatcher.stream(options, ({ statusCode, headers }) => {
          head = { statusCode, headers };
          this.#headIsHere();
          return new Writable({
            write(piece, _encoding, done) {
              pieces.push(String(piece));
              done();
            },
          });
        });
        return { head, body: pieces.join(''), trailers };
      }
      case 'pipeline': {
        let head: unknown;
        const { body: _body, ...more } = options;
        const duplex = dispatcher.pipeline(more, ({ statusCode, headers, body }) => {
          head = { statusCode, headers };
          this.#headIsHere();
          return body;
        });
        if (this.#source.fill === undefined) duplex.end();
        else this.#source.fill(duplex);
        return { body: await text(duplex), head };
      }
      case 'fetch': {
        const { origin, path, query: _query, ...init } = options;
        const more = { dispatcher, duplex: 'half' } as const;
        const response = await undici.fetch(`${origin}${path}`, { ...init, ...more } as never);
        const { status, statusText, headers } = response;
        return { status, statusText, headers: [...headers], ...(await this.#read(response.text())) };
      }
      case 'dispatch': {
        const heard = recorder(native, { onHead: () => this.#headIsHere() });
        dispatcher.dispatch(options, heard);
        await heard.settled;
        const { calls, body, rawTrailers, error } = heard;
        // Before 7.27, undici 7 has no raw headers, and ours are made from the parsed ones.
        const rawHeaders = isEarly7 ? [] : heard.rawHeaders;
        return { calls, rawHeaders, body: String(body), rawTrailers, error: told(error) };
      }
      case 'upgrade': {
        const { headers, socket } = await dispatcher.upgrade({ ...options, protocol: 'echo' });
        socket.destroy();
        return { headers };
      }
      case 'connect': {
        const tunnel = { ...options, path: 'a.test:1' } as Dispatcher.ConnectOptions<null>;
        const { statusCode, headers, socket } = await dispatcher.connect(tunnel);
        socket.destroy();
        return { statusCode, headers };
      }
    }
  }

  async #read(body: Promise<string>): Promise<object> {
    this.#headIsHere();
    try {
      return { body: await body };
    } catch (error) {
      return { bodyError: told(error) };
    }
  }

  #headIsHere(): void {
    this.#lab.cue('head');
    if (this.#shape.event === 'abort while it reads') this.#giveUp.abort();
  }
}
