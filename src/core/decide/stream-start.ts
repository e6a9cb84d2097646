/**
 * Which streams are handed over only at their first content event, and when one is handed over as it is. Adapters keep its
 * beginning aside meanwhile; one that fails before its content is a failed attempt.
 */

import { type EventReader, eventReaderFor } from '../hints/event-stream.js';
import type { Settings } from '../policy/settings.js';
import type { HeadersLike, Hint } from '../types.js';
import { meaningOf, type StreamHead } from './stream-events.js';
import { fieldOf, isEmpty } from './whole.js';

/** The settings of a rule that matter here. */
type Starting = Pick<
  Settings,
  'streamStart' | 'attemptTimeoutMs' | 'statuses' | 'maxRetries' | 'hedge' | 'hints'
>;

/**
 * How a stream begins. `pending`: nothing is known yet; `content`: its content begins; `undecided`: too much has come
 * without any. A failure has what it means.
 */
export type Beginning = 'pending' | 'content' | 'undecided' | { readonly failed: Hint };

const empty: Beginning = { failed: { delayMs: null, means: 'transient', reason: 'stream-empty' } };

/** Reads the beginning of one stream. Once it has said something else than `pending`, it must not be asked again. */
export class StreamStart {
  private readonly settings: Starting;
  private readonly head: StreamHead;
  private readonly reader: EventReader;
  private leftBytes: number;

  constructor(settings: Starting, mostBytes: number, head: StreamHead, reader: EventReader) {
    this.settings = settings;
    this.head = head;
    this.reader = reader;
    this.leftBytes = mostBytes;
  }

  /** What the stream has said with this chunk of its body, as the caller reads it: decoded. */
  push(chunk: Uint8Array): Beginning {
    const bytes = chunk.byteLength > this.leftBytes ? chunk.subarray(0, this.leftBytes) : chunk;
    this.leftBytes -= bytes.byteLength;
    const said = this.judged(this.reader.push(bytes));
    return said === 'pending' && this.leftBytes === 0 ? 'undecided' : said;
  }

  /** What it was, now that it has ended as it should. Never `pending`. */
  end(): Beginning {
    const said = this.judged(this.reader.end().filter(({ data }) => !isHalf(data)));
    return said === 'pending' ? empty : said;
  }

  private judged(events: ReturnType<EventReader['push']>): Beginning {
    for (const event of events) {
      const meaning = meaningOf(event, this.settings, this.head);
      if (meaning === 'content') return 'content';
      if (meaning !== 'pending') return { failed: meaning };
    }
    return 'pending';
  }
}

/** Some connections end as they should in the middle of what is to be JSON. */
function isHalf(data: string): boolean {
  if (!/^\s*[{[]/.test(data)) return false;
  try {
    JSON.parse(data);
    return false;
  } catch {
    return true;
  }
}

/**
 * The reader of an answer that is handed over only when it has begun; undefined: it is handed over at once. An answer
 * whose status is retried is judged by its head. `date`: wall time.
 */
export function streamStartOf(
  settings: Starting,
  method: string,
  status: number,
  headers: HeadersLike | undefined,
  date: number,
): StreamStart | undefined {
  const { streamStart, statuses, maxRetries, hedge } = settings;
  // Nothing could follow if it fails.
  const isInVain = maxRetries === 0 && hedge === false;
  if (streamStart === false || isInVain || status >= 300 || isEmpty(method, status)) return undefined;
  if (statuses.retried.has(status)) return undefined;
  const reader = eventReaderFor(fieldOf(headers, 'content-type'));
  return reader && new StreamStart(settings, streamStart.maxBytes, { headers, date }, reader);
}

/** How long after its head a stream is handed over as it is. A slow beginning is no failure. */
export function msToBegin({ streamStart, attemptTimeoutMs }: Starting): number {
  const ms = streamStart === false ? 0 : streamStart.maxMs;
  return Math.min(ms, attemptTimeoutMs ?? ms);
}
