/** The body of an answer that is still being judged, for `retryIf`. */

import { isEventStream, mostBodyBytes, parsedOrText } from '../../drivers/told-outcome.js';
import { unpackedText } from '../../drivers/unpack.js';
import type { ResponseHeaders } from './handlers.js';
import type { Sending } from './sending.js';

/** Gives the body as often as `retryIf` asks for it. It is gathered only once, and parsed anew each time. */
export function readerOf(sending: Sending, headers: ResponseHeaders): () => Promise<unknown> {
  let text: Promise<string | undefined> | undefined;
  return async () => {
    text ??= isEventStream(headers) ? Promise.resolve(undefined) : wholeText(sending, headers);
    const whole = await text;
    return whole === undefined ? undefined : parsedOrText(whole);
  };
}

function wholeText(sending: Sending, headers: ResponseHeaders): Promise<string | undefined> {
  return new Promise((resolve) => {
    sending.gatherWhole(mostBodyBytes, (bytes) => {
      const text = bytes && unpackedText(bytes, headers['content-encoding'], mostBodyBytes);
      resolve(typeof text === 'string' ? text : undefined);
    });
  });
}
