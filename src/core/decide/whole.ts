/**
 * Which answers are handed over only once their body is complete, and when one is handed over as it is. Adapters keep the
 * body aside meanwhile; one that breaks off before is a failed attempt.
 */

import { jsonLines } from '../hints/event-stream.js';
import type { Settings } from '../policy/settings.js';
import type { HeadersLike, RequestFacts } from '../types.js';

/** The settings of a rule that matter here. */
type Waiting = Pick<
  Settings,
  | 'wholeBodyBytes'
  | 'wholeBodyMs'
  | 'attemptTimeoutMs'
  | 'statuses'
  | 'credentials'
  | 'maxRetries'
  | 'hedge'
  | 'hints'
  | 'bodies'
  | 'bodyHintBytes'
  | 'hintedSuccesses'
>;

/**
 * How many bytes of the answer's body may be kept aside until it is complete; 0: the answer is handed over at once. An
 * answer whose status is retried, or refuses the credentials, is judged by its head: what follows it does not matter. A success that hints look into is
 * waited for in any case, as far as they look.
 */
export function bytesToAwait(
  settings: Waiting,
  request: Pick<RequestFacts, 'method' | 'path'>,
  status: number,
  headers: HeadersLike | undefined,
): number {
  const { wholeBodyBytes, maxRetries, hedge } = settings;
  // Nothing could follow if the body breaks off.
  const isInVain = maxRetries === 0 && hedge === false;
  if (isInVain || isEmpty(request.method, status) || isJudgedByHead(settings, status)) return 0;
  if (wholeBodyBytes === 0)
    return status < 300 ? (settings.bodies?.bytesToRead(settings, request, status, headers) ?? 0) : 0;
  const length = lengthOf(headers);
  if (length === 0 || (length !== undefined && length > wholeBodyBytes)) return 0;
  return isStreamed(fieldOf(headers, 'content-type')) ? 0 : wholeBodyBytes;
}

/** Whether another attempt may follow the status itself. */
export function isJudgedByHead(
  { statuses, credentials }: Pick<Settings, 'statuses' | 'credentials'>,
  status: number,
): boolean {
  return (
    (status >= statuses.lowest && statuses.retried.has(status)) ||
    (credentials !== false && credentials.statuses.includes(status))
  );
}

/** How long after its head an answer is handed over as it is. A slow body is no failure. */
export function msToAwait({ wholeBodyMs, attemptTimeoutMs = wholeBodyMs }: Waiting): number {
  return Math.min(wholeBodyMs, attemptTimeoutMs);
}

/**
 * Whether a body that has ended is shorter or longer than announced. Most clients compare that themselves, but not all over
 * HTTP/2. What was decoded has another length.
 */
export function isOfOtherLength(headers: HeadersLike | undefined, receivedBytes: number): boolean {
  if ((fieldOf(headers, 'content-encoding') ?? 'identity') !== 'identity') return false;
  const length = lengthOf(headers);
  return length !== undefined && length !== receivedBytes;
}

/** RFC 9110 sections 9.3.2, 15.3.5, 15.3.6 and 15.4.5: these have no content, whatever their headers say. */
export function isEmpty(method: string, status: number): boolean {
  const isContentless = status < 200 || status === 204 || status === 205 || status === 304;
  return isContentless || (method !== 'GET' && method.toUpperCase() === 'HEAD');
}

/**
 * Media types whose parts are read as they come: event streams, lines and sequences of JSON, replaced or mixed parts, and
 * the streams of gRPC, Connect and AWS.
 */
const streamed =
  /^\s*(text\/event-stream|multipart\/(x-mixed-replace|mixed)|application\/(grpc|connect\+|vnd\.amazon\.eventstream))/i;

/** The last type that was not one of them: most answers have it again. */
let usual = 'application/json';

function isStreamed(type: string | undefined): boolean {
  if (type === undefined || type === usual) return false;
  if (streamed.test(type) || jsonLines.test(type)) return true;
  usual = type;
  return false;
}

/** Undefined if there is none, or none that can be relied on. */
function lengthOf(headers: HeadersLike | undefined): number | undefined {
  const field = fieldOf(headers, 'content-length');
  const length = field === undefined || field === '' ? Number.NaN : Number(field);
  return length >= 0 && Number.isSafeInteger(length) ? length : undefined;
}

/** Adapters give headers with names in lower case, or with `get`. */
export function fieldOf(headers: HeadersLike | undefined, name: string): string | undefined {
  if (headers === undefined) return undefined;
  const { get } = headers as { readonly get?: unknown };
  const value: unknown =
    typeof get === 'function'
      ? get.call(headers, name)
      : (headers as Readonly<Record<string, unknown>>)[name];
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? String(value[0]) : undefined;
}
