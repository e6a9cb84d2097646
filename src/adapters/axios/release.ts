/** Responses that nobody is going to read: their connection is wanted for the next attempt. */

import { drainBytes, drainTime } from '../../runtime/drain.js';
import { isStream, type StreamLike } from '../../runtime/kept-body.js';
import type { Sleep } from '../../runtime/sleep.js';
import type { ResponseShape } from './shapes.js';

interface Readable extends StreamLike {
  on(event: string, listener: (chunk: { readonly length: number }) => void): unknown;
  destroy(): unknown;
}

/** Small rests are read, so that the connection can be used again; others are cut off, and the connection with them. */
export function release({ data, headers }: ResponseShape, method: string, sleep: Sleep): void {
  if (typeof data !== 'object' || data === null) return;
  const ms = drainTime(method, lengthIn(headers));
  if (isStream(data)) drain(data as Readable, ms, sleep);
  else if (isWebStream(data)) void drainWeb(data, ms, sleep).catch(() => undefined);
}

function lengthIn(headers: ResponseShape['headers']): string | undefined {
  const length = typeof headers?.get === 'function' ? headers.get('content-length') : undefined;
  return length === undefined || length === null ? undefined : String(length);
}

function isWebStream(data: object): data is ReadableStream<Uint8Array> {
  return 'getReader' in data && 'cancel' in data;
}

function drain(data: Readable, ms: number, sleep: Sleep): void {
  data.on('error', () => undefined);
  let left = drainBytes;
  const cancel = sleep(ms, () => data.destroy(), { unref: true });
  data.on('data', ({ length }) => {
    left -= length;
    if (left < 0) data.destroy();
  });
  data.on('close', cancel);
}

async function drainWeb(data: ReadableStream<Uint8Array>, ms: number, sleep: Sleep): Promise<void> {
  const reader = data.getReader();
  const cutOff = (): void => void reader.cancel().catch(() => undefined);
  const cancel = sleep(ms, cutOff, { unref: true });
  try {
    let left = drainBytes;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      left -= part.value.byteLength;
      if (left < 0) cutOff();
    }
  } finally {
    cancel();
  }
}
