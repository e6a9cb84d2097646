/** Event streams as servers of language models send them, and plays that send them to their end or not. */

import type { AnswerStep, HangUp, HeaderFields, Play } from '../faults/play.js';

export const type = { 'content-type': 'text/event-stream' };
/** No content yet: who speaks. */
export const role = 'data: {"choices":[{"index":0,"delta":{"role":"assistant"}}]}\n\n';
export const done = 'data: [DONE]\n\n';
export const overloaded = 'data: {"error":{"type":"server_error","message":"overloaded"}}\n\n';

export function content(text: string): string {
  return `data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}}]}\n\n`;
}

type End = HangUp | 'stall' | 'end' | AnswerStep;

/** Sends these parts, each as a chunk of its own, and ends so. */
export function streamOf(parts: readonly string[], how: End = 'end', headers: HeaderFields = type): Play {
  return {
    steps: [
      { do: 'head', status: 200, headers: { 'transfer-encoding': 'chunked', ...headers } },
      ...parts.map((text) => ({ do: 'body', text }) as const),
      typeof how === 'string' ? { do: how } : how,
    ],
  };
}
