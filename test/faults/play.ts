/**
 * What a faulty server does to a request, as plain data: a script can be generated, printed as JSON and
 * played again. Text is latin1 throughout: one character is one byte.
 */

export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/** Steps for both HTTP/1.1 and HTTP/2. */
export type AnswerStep =
  /** A response head; after one below 200, another head follows. Headers are written in this order. */
  | { readonly do: 'head'; readonly status: number; readonly headers?: HeaderFields }
  /** A part of the body, in the framing that the head announced; nothing in answer to HEAD. */
  | { readonly do: 'body'; readonly text: string }
  /** The same, byte by byte. Before any head: bytes of the head itself (HTTP/1.1 only). */
  | { readonly do: 'drip'; readonly text: string; readonly everyMs: number }
  /** Bytes of `contentOf(mark)`, as fast as the reader takes them. */
  | {
      readonly do: 'fill';
      readonly bytes: number | 'endless';
      readonly mark?: string;
      readonly from?: number;
      readonly chunkBytes?: number;
    }
  /** The end of the body, with trailers if the framing has room for them. */
  | { readonly do: 'end'; readonly trailers?: HeaderFields }
  | { readonly do: 'wait'; readonly ms: number }
  /** Waits until the test calls `lab.cue(name)`. */
  | { readonly do: 'cue'; readonly name: string }
  /** Waits forever. */
  | { readonly do: 'stall' };

export type WireStep =
  /** Raw bytes, whatever was announced. */
  | { readonly do: 'write'; readonly text: string }
  /**
   * Waits for the next request's head on this connection. This play answers for that request too, and its
   * body is not read.
   */
  | { readonly do: 'next' }
  /** Reads nothing any more: the client's body jams, and its closing is not noticed, either. */
  | { readonly do: 'deaf' }
  | { readonly do: HangUp }
  /** From here on, echoes every byte. */
  | { readonly do: 'echo' }
  /** From here on, forwards every byte to the authority of the CONNECT request, and back. */
  | { readonly do: 'tunnel' };

export type HangUp = 'fin' | 'rst';

export type Step = AnswerStep | WireStep;

export interface Play<S = Step> {
  /**
   * When the play begins: with the connection, with the request's head, or (default) after its body. A play `at:
   * 'connect'` on an open connection begins with the next request's head.
   */
  readonly at?: 'connect' | 'head' | 'body';
  readonly steps: readonly S[];
}

/** A play for both protocols. */
export type Answer = Play<AnswerStep>;

/** The n-th request (or connection, for a play `at: 'connect'`) gets the n-th play; the last one repeats. */
export type Script<P, R> = P | readonly P[] | ((request: R) => P);

export function nthOf<T extends object>(list: T | readonly T[], n: number): T {
  if (!isList(list)) return list;
  const item = list[Math.min(n, list.length) - 1];
  if (item === undefined) throw new RangeError('a script has at least one play');
  return item;
}

function isList<T>(list: T | readonly T[]): list is readonly T[] {
  return Array.isArray(list);
}
