/**
 * Reads the first events of a stream, however it is cut into chunks: server-sent events (WHATWG HTML 9.2), lines of JSON, or
 * the messages of AWS. Nothing is read twice, and nothing is kept but the event that is not complete yet.
 */

/** One event. A line of JSON is one without a name. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
  /** The framing itself says that it is a failure. */
  readonly isFailure?: true;
}

export interface EventReader {
  /** The events that this chunk completes. */
  push(bytes: Uint8Array): readonly StreamEvent[];
  /** The stream has ended: what is left may be an event whose end is missing. */
  end(): readonly StreamEvent[];
}

/** Types of lines and sequences of JSON. */
export const jsonLines: RegExp =
  /^\s*([a-z]+\/(x-)?(ndjson|jsonl(ines)?|json-?(lines|seq|stream))|application\/(stream\+json|[\w.-]+\+json-seq))/i;

/** Undefined: it is no stream whose events can be read. */
export function eventReaderFor(contentType: string | undefined): EventReader | undefined {
  if (contentType === undefined) return undefined;
  if (/^\s*text\/event-stream/i.test(contentType)) return new ServerSentEvents();
  if (/^\s*application\/vnd\.amazon\.eventstream/i.test(contentType)) return new AwsMessages();
  return jsonLines.test(contentType) ? new JsonLines() : undefined;
}

/** Text in lines that end with LF, CR or CRLF. */
class Lines {
  private readonly decoder = new TextDecoder();
  private rest = '';
  private isAfterCr = false;

  /** The lines that this chunk completes. */
  push(bytes: Uint8Array): readonly string[] {
    const decoded = this.decoder.decode(bytes, { stream: true });
    if (decoded === '') return [];
    const text = this.isAfterCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    this.isAfterCr = decoded.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|[\r\n]/);
    const found = [this.rest + first, ...others];
    this.rest = found.pop() ?? '';
    return found;
  }

  /** The line whose end is missing. */
  end(): string {
    return this.rest + this.decoder.decode();
  }
}

class ServerSentEvents implements EventReader {
  private readonly lines = new Lines();
  private name = '';
  private data: string[] = [];
  /** Some servers write an error as it is, without making an event of it: vercel/ai#5217. */
  private stray: string[] = [];
  private isText = true;

  push(bytes: Uint8Array): readonly StreamEvent[] {
    return this.lines.push(bytes).flatMap((line) => this.read(line));
  }

  /**
   * An event without the blank line behind it is none for a browser, but for most other clients. What is no text, such as a
   * body that is still packed, is left to the caller, as content.
   */
  end(): readonly StreamEvent[] {
    const last = this.lines.end();
    const events = [...(last === '' ? [] : this.read(last)), ...this.read('')];
    return this.isText ? events : [...events, { name: '', data: 'unreadable' }];
  }

  private read(line: string): readonly StreamEvent[] {
    if (line.includes('\ufffd')) this.isText = false;
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const [field, value] =
      colon === -1
        ? [line, '']
        : [line.slice(0, colon), line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))];
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.name = value;
    else if (this.stray.length > 0 || /^\s*[{[]/.test(line)) this.stray.push(line);
    return [];
  }

  private dispatch(): readonly StreamEvent[] {
    const { name } = this;
    const lines = this.data.length > 0 ? this.data : this.stray;
    this.name = '';
    this.data = [];
    this.stray = [];
    const data = lines.join('\n');
    return data === '' ? [] : [{ name, data }];
  }
}

class JsonLines implements EventReader {
  private readonly lines = new Lines();

  push(bytes: Uint8Array): readonly StreamEvent[] {
    return this.lines.push(bytes).flatMap(eventIn);
  }

  end(): readonly StreamEvent[] {
    return eventIn(this.lines.end());
  }
}

/** RFC 7464 begins each text with this. */
const recordSeparator = '\u001e';

/** A blank line keeps the connection alive. */
function eventIn(line: string): readonly StreamEvent[] {
  const data = line.slice(line.startsWith(recordSeparator) ? 1 : 0).trim();
  return data === '' ? [] : [{ name: '', data }];
}

/** The three lengths and checksums around a message, in bytes. */
const [preludeBytes, checksumBytes] = [12, 4];

/** None is longer. */
const longestMessage = 33_554_432;

/** https://smithy.io/2.0/aws/amazon-eventstream.html. What is no such message is left to the caller, as content. */
class AwsMessages implements EventReader {
  private rest: Uint8Array = new Uint8Array(0);

  push(bytes: Uint8Array): readonly StreamEvent[] {
    let left = new Uint8Array(this.rest.length + bytes.length);
    left.set(this.rest);
    left.set(bytes, this.rest.length);
    const events: StreamEvent[] = [];
    while (left.length >= preludeBytes) {
      const view = new DataView(left.buffer, left.byteOffset, left.byteLength);
      const [length, headersLength] = [view.getUint32(0), view.getUint32(4)];
      if (preludeBytes + headersLength + checksumBytes > length || length > longestMessage)
        return [...events, { name: '', data: 'unreadable' }];
      if (left.length < length) break;
      const payloadAt = preludeBytes + headersLength;
      const headers = headersIn(left.subarray(preludeBytes, payloadAt));
      events.push(messageOf(headers, textOf(left.subarray(payloadAt, length - checksumBytes))));
      left = left.subarray(length);
    }
    this.rest = left;
    return events;
  }

  end(): readonly StreamEvent[] {
    return [];
  }
}

function messageOf(headers: ReadonlyMap<string, string>, payload: string): StreamEvent {
  const failure = headers.get(':exception-type') ?? headers.get(':error-code');
  if (failure !== undefined) return { name: failure, data: payload, isFailure: true };
  const name = headers.get(':event-type') ?? '';
  // InvokeModelWithResponseStream packs the model's own event.
  const [, packed] = (name === 'chunk' && /"bytes"\s*:\s*"([A-Za-z0-9+/=]*)"/.exec(payload)) || [];
  if (packed === undefined) return { name, data: payload };
  return { name: '', data: textOf(Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))) };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** How many bytes a value takes that is not a text, by its type. */
const valueBytes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

/** Those whose values are texts: type 7. */
function headersIn(bytes: Uint8Array): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const name = textOf(bytes.subarray(at + 1, nameEnd));
    const type = bytes[nameEnd] ?? -1;
    const fixed = valueBytes[type];
    const valueAt = nameEnd + (fixed === undefined ? 3 : 1);
    const length = fixed ?? ((bytes[nameEnd + 1] ?? 0) << 8) + (bytes[nameEnd + 2] ?? 0);
    if (type === 7) found.set(name, textOf(bytes.subarray(valueAt, valueAt + length)));
    at = valueAt + length;
  }
  return found;
}
