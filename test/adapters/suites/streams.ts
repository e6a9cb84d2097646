/** For suites about streams: what servers send that speak in events. */

import type { Answer, AnswerStep, HeaderFields } from '../../faults/lab.js';

export const eventStream: HeaderFields = { 'content-type': 'text/event-stream' };

const chunked: HeaderFields = { 'transfer-encoding': 'chunked' };

/** One event, with its JSON. */
export function said(data: unknown, name?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

export const ping: string = said({ type: 'ping' }, 'ping');
export const begun: string = said({ type: 'message_start', message: { role: 'assistant' } }, 'message_start');
export const hello: string = said(
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } },
  'content_block_delta',
);
export const bye: string = said({ type: 'message_stop' }, 'message_stop');

export function errorOf(type: string): string {
  return said({ type: 'error', error: { type, message: 'Sorry' } }, 'error');
}

/** An answer in events, with these steps after its head. */
export function stream(...steps: readonly (string | AnswerStep)[]): Answer {
  return streamOf(eventStream, ...steps);
}

export function streamOf(headers: HeaderFields, ...steps: readonly (string | AnswerStep)[]): Answer {
  return {
    steps: [
      { do: 'head', status: 200, headers: { ...headers, ...chunked } },
      ...steps.map((step) => (typeof step === 'string' ? ({ do: 'body', text: step } as const) : step)),
    ],
  };
}

/** One that ends as it should. */
export function ended(...steps: readonly (string | AnswerStep)[]): Answer {
  return stream(...steps, { do: 'end' });
}
