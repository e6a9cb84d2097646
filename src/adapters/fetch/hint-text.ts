/** The beginning of an answer's body, to look for a hint in; the answer itself is as it was. */

import { gatherMs } from '../../core/hints/worth-reading.js';
import type { Sleep } from '../../runtime/sleep.js';
import { isStream, isWebStream } from '../../runtime/stream-like.js';
import type { ResponseShape } from './shapes.js';

/** Undefined where there is nothing, too much, or what takes too long. */
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
  const cancel = sleep(gatherMs, stop, { unref: true });
  const decoder = new TextDecoder();
  let [text, left] = ['', mostBytes];
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      left -= part.value.byteLength;
      if (left < 0) {
        stop();
        return undefined;
      }
      text += decoder.decode(part.value, { stream: true });
    }
    return text + decoder.decode();
  } catch {
    // It broke off, or could not be unpacked: which its reader is told.
    return undefined;
  } finally {
    cancel();
  }
}
