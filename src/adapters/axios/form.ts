/**
 * Bodies of the `form-data` package, of which axios makes one of every object that is to be multipart: a stream that can
 * be read once. Where all of its parts are in memory, it can be read again all the same.
 */

interface Form {
  getHeaders(): Record<string, string>;
  getLength(done: (error: unknown, length?: number) => void): void;
}

/** As it keeps its parts: heads and contents, and after each content a function that ends it. */
interface Parts extends Form {
  readonly _streams: readonly unknown[];
  readonly _released: boolean;
  getBoundary(): string;
}

/** axios would ask the form itself, but is given a stream of its bytes. */
export async function headersOfForm(stream: object): Promise<Readonly<Record<string, string>>> {
  if (!('getHeaders' in stream)) return {};
  const form = stream as Form;
  const headers = form.getHeaders();
  const length = await lengthOf(form);
  return length === undefined ? headers : { ...headers, 'content-length': String(length) };
}

/** Undefined: it has a part of unknown length. */
function lengthOf(form: Form): Promise<number | undefined> {
  return new Promise((resolve) => form.getLength((_error, length) => resolve(length)));
}

/** What it will send, part by part; undefined: not all of it is in memory, or it is being read already. */
export function partsOf(stream: object): readonly (string | Uint8Array)[] | undefined {
  if (!('_streams' in stream && 'getBoundary' in stream)) return undefined;
  const { _streams: parts, _released: isBegun } = stream as Parts;
  if (!Array.isArray(parts) || parts.length === 0 || isBegun) return undefined;
  const pieces = parts.map((part: unknown) => (typeof part === 'function' ? '\r\n' : part));
  return pieces.every(isInMemory) ? [...pieces, `--${(stream as Parts).getBoundary()}--\r\n`] : undefined;
}

function isInMemory(piece: unknown): piece is string | Uint8Array {
  return typeof piece === 'string' || piece instanceof Uint8Array;
}
