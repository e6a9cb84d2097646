/** The plays of both differential runs, and what callers and their uploads do in between. */

import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { answer, type Lab, type Play, rst, type Step, silence } from '../../faults/lab.js';

/** Half of the announced body, and then these steps. */
export function half(...steps: readonly Step[]): Play {
  const headers = { 'content-length': '8' };
  return { steps: [{ do: 'head', status: 200, headers }, { do: 'body', text: 'half' }, ...steps] };
}

export const plays = {
  '200': answer(200, 'good', { 'X-Answer': 'yes' }),
  '204': answer(204),
  '503': answer(503, 'busy'),
  '413 before the body': { ...answer(413, 'too large'), at: 'head' },
  'reset before the head': rst(),
  'half a body': half({ do: 'stall' }),
  'no answer': silence(),
  // The request never gets to a server.
  'refused port': answer(200),
} satisfies Readonly<Record<string, Play>>;

/** Resolves at the moment of a later event, which the end of its name tells. */
export async function momentOf(event: string, lab: Lab, turns: number): Promise<void> {
  if (event.endsWith('while it uploads')) {
    await lab.until(({ requests }) => String(requests[0]?.body) === 'abc');
  } else if (event.endsWith('while it waits')) {
    await lab.until(({ requests }) => requests[0]?.complete === true);
  } else await lab.until(({ bytesSent }) => bytesSent > 0);
  // The client has sent what the server has read, and notices that in its next turn.
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
}

/** The caller aborts, or the upload breaks. */
export function happens(event: string, giveUp: () => void, stream: Readable | undefined): void {
  const broken = Object.assign(new Error('the source is broken'), { code: 'EBROKEN' });
  if (event.startsWith('abort') || event.startsWith('token')) giveUp();
  else if (event.startsWith('source destroyed')) stream?.destroy();
  else if (event.startsWith('source breaks')) stream?.destroy(broken);
}
