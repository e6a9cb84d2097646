/** How a body arrived: a body sent through us must arrive as the client alone would send it. */

import type { Received } from '../faults/ledger.js';

/** Bodies to send, whole and in chunks. */
export const text = 'Grüße aus dem Körper';
export const bytes: Uint8Array<ArrayBuffer> = Uint8Array.from(Buffer.from(`<<${text}>>`));
/** The text, inside a larger buffer. */
export const view: Uint8Array<ArrayBuffer> = bytes.subarray(2, -2);
export const pieces: readonly [Buffer, Buffer] = [
  Buffer.from(text).subarray(0, 2),
  Buffer.from(text).subarray(2),
];

export interface Framed {
  readonly length: string | undefined;
  readonly type: string | undefined;
  readonly encoding: string | undefined;
  /** One letter for each byte. */
  readonly body: string;
}

export function framed({ headers, body }: Received): Framed {
  const type = headers['content-type'];
  const sent = body.toString('latin1');
  // A form may have another boundary each time it is sent.
  const [, boundary] = /boundary=(\S+)/.exec(type ?? '') ?? /^--(\S+)\r\n/.exec(sent) ?? [];
  const normal = (given: string): string => (boundary ? given.replaceAll(boundary, 'BOUNDARY') : given);
  return {
    length: headers['content-length'],
    type: type && normal(type),
    encoding: headers['transfer-encoding'],
    body: normal(sent),
  };
}

const body = Buffer.from(text).toString('latin1');
export const whole = { length: String(view.length), encoding: undefined, body } as const;
export const chunked = { length: undefined, encoding: 'chunked', body } as const;

export function fill<Form extends { append(name: string, value: unknown, fileName?: string): void }>(
  form: Form,
): Form {
  form.append('greeting', text);
  form.append('file', new Blob([view], { type: 'text/x-greeting' }), 'greeting.txt');
  return form;
}
