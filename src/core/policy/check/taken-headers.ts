/**
 * Headers that have a meaning already, which a number or a key in their place would destroy: they frame a message, say
 * where it goes or whom it is from, are forbidden to scripts (Fetch 2.2.2), or are set by other software for each request.
 * As the header of an idempotency key, one of them would make every request that has it count as safe to repeat.
 */

/** A regular expression whose letters are all literal. */
const names = /* @__PURE__ */ [
  // RFC 9110 6 to 13, RFC 9112, RFC 9113: what the message is, and how it is framed.
  'content-.+|transfer-encoding|te|trailer|connection|keep-alive|upgrade|http2-settings|expect|range|if-.+|accept(-.+)?|date',
  // Where it goes, and which method and path it has there.
  'host|via|max-forwards|proxy-.+|forwarded|x-forwarded-.+|x-(http-)?method(-override)?|x-(original|rewrite)-url',
  // Whom it is from.
  'authorization|cookie2?|set-cookie2?|from|user-agent|referer|origin|dnt|(sec|access-control)-.+|x-real-ip',
  '(x-)?(api|auth|access|csrf|xsrf)-?(key|token)',
  // Set for each request by tracing (W3C Trace Context and Baggage).
  'traceparent|tracestate|baggage',
].join('|');

/** For the schema, where no flag can say that case does not matter. */
export const takenHeaders: string = /* @__PURE__ */ names.replace(
  /[a-z]/g,
  (letter) => `[${letter.toUpperCase()}${letter}]`,
);

/** `place` is the path of the value. */
export function adviceOnHeader(value: unknown, place: string): string | undefined {
  if (typeof value !== 'string' || !/header$/i.test(place)) return undefined;
  return new RegExp(`^(${names})$`, 'i').test(value)
    ? 'That one already says how a request is framed, where it goes or whom it is from.'
    : undefined;
}
