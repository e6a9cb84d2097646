/**
 * Bodies of the `form-data` package, into which axios turns every object that is to be multipart: streams that can be
 * read only once. If all of its parts are in memory, a form can be sent again nevertheless.
 */

interface Form {
  getHeaders(): Record<string, string>;
  getLength(done: (error: unknown, length?: number) => void): void;
}

/** The package's own fields: heads and contents, with a function after each content that ends the part. */
interface Parts extends Form {
  readonly _streams: readonly unknown[];
  readonly _released: boolean;
  getBoundary(): string;
}

/** axios would ask the form for these headers, but it gets a stream of the form's bytes instead. */
export async function headersOfForm(stream: object): Promise<Readonly<Record<string, string>>> {
  if (!('getHeaders' in stream)) return {};
  const form = stream as Form;
  const headers = form.getHeaders();
  const length = await lengthOf(form);
  return length === undefined ? headers : { ...headers, 'content-length': String(length) };
}

/** Undefined if a part has an unknown length. */
function lengthOf(form: Form): Promise<number | undefined> {
  return new Promise((resolve) => form.getLength((_error, length) => resolve(length)));
}

/**
 * The bytes that the form will send, part by part; undefined if not all of them are in memory, or if the form is being
 * read already.
 */
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
