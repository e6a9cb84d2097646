/**
 * Reads the first events of a stream, however it is cut into chunks: server-sent events (WHATWG HTML 9.2), or lines of
 * JSON. Nothing is read twice, and nothing is kept but the event that is not complete yet.
 */

/** One event. A line of JSON is one without a name. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

export interface EventReader {
  /** The events that this chunk completes. */
  push(bytes: Uint8Array): readonly StreamEvent[];
  /** The stream has ended: what is left may be an event whose end is missing. */
  end(): readonly StreamEvent[];
}

const lines =
  /^\s*([a-z]+\/(x-)?(ndjson|jsonl(ines)?|json-?(lines|seq|stream))|application\/(stream\+json|[\w.-]+\+json-seq))/i;

/** Undefined: it is no stream whose events can be read. */
export function eventReaderFor(contentType: string | undefined): EventReader | undefined {
  if (contentType === undefined) return undefined;
  if (/^\s*text\/event-stream/i.test(contentType)) return new ServerSentEvents();
  return lines.test(contentType) ? new JsonLines() : undefined;
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

  push(bytes: Uint8Array): readonly StreamEvent[] {
    return this.lines.push(bytes).flatMap((line) => this.read(line));
  }

  /** An event without the blank line behind it is none for a browser, but for most other clients. */
  end(): readonly StreamEvent[] {
    const last = this.lines.end();
    return [...(last === '' ? [] : this.read(last)), ...this.read('')];
  }

  private read(line: string): readonly StreamEvent[] {
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
