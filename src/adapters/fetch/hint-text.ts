/** Reads the beginning of an answer's body to look for a hint; the answer itself stays unread. */

import { gatherMs } from '../../core/hints/worth-reading.js';
import { judging, type Sleep } from '../../runtime/sleep.js';
import { isStream, isWebStream } from '../../runtime/stream-like.js';
import type { ResponseShape } from './shapes.js';

/**
 * Reads up to `mostBytes`, for up to `gatherMs`: a hint that is complete by then counts, whatever follows. Undefined if
 * there is nothing to read.
 */
export async function textOfHint(
  answer: ResponseShape,
  mostBytes: number,
  sleep: Sleep,
): Promise<string | undefined> {
  const { body, bodyUsed } = answer;
  if (bodyUsed === true || typeof body !== 'object' || body === null || isStream(body)) return undefined;
  const copy = answer.clone().body;
  if (typeof copy !== 'object' || copy === null || !isWebStream(copy)) return undefined;
  const reader = copy.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  const cancel = sleep(gatherMs, stop, judging('awake', true));
  const decoder = new TextDecoder();
  let [text, left] = ['', mostBytes];
  try {
    for (let part = await reader.read(); !part.done && left > 0; part = await reader.read()) {
      text += decoder.decode(part.value.subarray(0, left), { stream: true });
      left -= part.value.byteLength;
      if (left <= 0) stop();
    }
  } catch {
    // The body broke off or could not be unpacked; the caller will see that when it reads the body.
  } finally {
    cancel();
  }
  return text + decoder.decode();
}
