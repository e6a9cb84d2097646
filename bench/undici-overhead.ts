/**
 * What a retry interceptor adds to a request that succeeds at once, on a dispatcher that does nothing else:
 * undici's own against ours, in turns in one run. Needs `--expose-gc`.
 */

import type { Dispatcher } from 'undici';
import { retry } from '../src/adapters/undici/index.js';
import type { Row } from './measure.js';
import { bytesPerTurn, measure } from './measure.js';
import { undici, undiciVersion } from './undici-under-test.js';

const turns = 50_000;
const counted = 200_000;
const chunk = Buffer.from('hello');
const options: Dispatcher.DispatchOptions = {
  origin: 'http://a.example',
  path: '/things/1',
  method: 'GET',
  headers: { accept: '*/*' },
};

/** As a connection gives it to each attempt. */
class Controller {
  paused = false;
  aborted = false;
  reason = null;
  rawHeaders = null;
  rawTrailers = null;
  pause(): void {}
  resume(): void {}
  abort(): void {}
}

/** Answers at once, from memory, with so many chunks. */
class NullDispatcher extends undici.Dispatcher {
  readonly chunks: number;
  readonly headers: object;

  constructor(chunks: number) {
    super();
    this.chunks = chunks;
    this.headers = { 'content-type': 'text/plain', 'content-length': String(chunks * chunk.byteLength) };
  }

  override dispatch(_options: unknown, handler: unknown): boolean {
    const to = handler as CallingHandler;
    const controller = new Controller();
    to.onRequestStart(controller, null);
    to.onResponseStart(controller, 200, this.headers, 'OK');
    for (let index = 0; index < this.chunks; index += 1) to.onResponseData(controller, chunk);
    to.onResponseEnd(controller, {});
    return true;
  }
}

interface CallingHandler {
  onRequestStart(controller: Controller, context: unknown): void;
  onResponseStart(controller: Controller, status: number, headers: object, text: string): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(controller: Controller, trailers: object): void;
}

let received = 0;

/** The caller's. */
class CountingHandler implements CallingHandler {
  controller: Controller | undefined = undefined;

  onRequestStart(controller: Controller): void {
    this.controller = controller;
  }
  onResponseStart(_controller: Controller, status: number): void {
    received += status;
  }
  onResponseData(_controller: Controller, data: Buffer): void {
    received += data.length;
  }
  onResponseEnd(): void {
    received += 1;
  }
  onResponseError(_controller: unknown, error: Error): void {
    throw error;
  }
}

export function benchUndiciOverhead(): Row[] {
  return [...rowsFor(1), ...rowsFor(64)];
}

function rowsFor(chunks: number): Row[] {
  const bare = (): Dispatcher => new NullDispatcher(chunks) as unknown as Dispatcher;
  const subjects = [
    subject('bare', bare()),
    subject(
      'a pass-through',
      bare().compose((dispatch) => (given, handler) => dispatch(given, handler)),
    ),
    subject(
      'interceptors.retry()',
      bare().compose(undici.interceptors.retry({ throwOnError: false } as object)),
    ),
    subject('undaunted', bare().compose(retry())),
  ];
  const times = measure(subjects, Math.ceil(turns / chunks)).map(({ ns }) => ns);
  const bytes = subjects.map(({ work }) =>
    bytesPerTurn(() => work(Math.ceil(counted / chunks)), Math.ceil(counted / chunks)),
  );
  const added = (values: readonly number[], index: number): number => (values[index] ?? 0) - (values[0] ?? 0);
  return subjects.slice(1).map(({ name }, before) => {
    const index = before + 1;
    const ratios = [times, bytes].map((values) => (added(values, index) / added(values, 2)).toFixed(2));
    return {
      name: `undici ${undiciVersion}, ${chunks === 1 ? '1 chunk' : `${chunks} chunks`}: ${name} adds`,
      value: `${added(times, index).toFixed(0)} ns`,
      note: `${added(bytes, index).toFixed(0)} bytes${index === 3 ? `; ${ratios[0]}x its time, ${ratios[1]}x its bytes` : ''}`,
    };
  });
}

function subject(name: string, dispatcher: Dispatcher): { name: string; work(count: number): number } {
  return {
    name,
    work(count) {
      for (let turn = 0; turn < count; turn += 1)
        dispatcher.dispatch(options, new CountingHandler() as never);
      return received;
    },
  };
}
