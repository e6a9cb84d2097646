/** The causes of our own errors, in the shapes of all clients. */

interface Answered {
  readonly status?: number;
  readonly headers?: object;
}

/** The head of an answer: some clients have it in an error of their own, and some have classes for headers. */
export function headIn(error: unknown): Answered {
  const { cause } = error as { readonly cause?: Answered & { readonly response?: Answered } };
  const { status, headers = {} } = cause?.response ?? cause ?? {};
  const isList = Symbol.iterator in headers;
  const record = isList ? Object.fromEntries(headers as Iterable<[string, string]>) : { ...headers };
  return { ...(status !== undefined && { status }), headers: record };
}
