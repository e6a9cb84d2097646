/** The faults, by name. */

import type { Answer, AnswerStep, HangUp, HeaderFields, Play, Step } from './play.js';

export function answer(status: number, body = '', headers: HeaderFields = {}): Answer {
  const length = mayHaveBody(status) ? { 'content-length': String(body.length) } : {};
  return {
    steps: [
      { do: 'head', status, headers: { ...length, ...headers } },
      { do: 'body', text: body },
      { do: 'end' },
    ],
  };
}

function mayHaveBody(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

export function answerChunked(chunks: readonly string[], trailers: HeaderFields = {}, status = 200): Answer {
  return {
    steps: [
      { do: 'head', status, headers: { 'transfer-encoding': 'chunked' } },
      ...chunks.map((text) => ({ do: 'body', text }) as const),
      { do: 'end', trailers },
    ],
  };
}

/** An interim response such as Early Hints, and then the play. */
export function informational<S extends Step>(
  status: number,
  headers: HeaderFields,
  then: Play<S>,
): Play<S | AnswerStep> {
  return { ...then, steps: [{ do: 'head', status, headers }, ...then.steps] };
}

export function rst(at: NonNullable<Play['at']> = 'body'): Play {
  return { at, steps: [{ do: 'rst' }] };
}

export function fin(at: NonNullable<Play['at']> = 'body'): Play {
  return { at, steps: [{ do: 'fin' }] };
}

/** Never answers. */
export function silence(at: NonNullable<Play['at']> = 'body'): Play<AnswerStep> {
  return { at, steps: [{ do: 'stall' }] };
}

export function halfHead(then: HangUp | 'stall'): Play {
  return { steps: [{ do: 'write', text: 'HTTP/1.1 200 OK\r\ncontent-le' }, { do: then }] };
}

/** Bytes that are not HTTP, and the end. */
export function garbage(text = '\x15\x03\x01 no protocol that you know\r\n\r\n'): Play {
  return { steps: [{ do: 'write', text }, { do: 'fin' }] };
}

/** A good head that arrives byte by byte. */
export function dripHead(everyMs: number): Play {
  return {
    steps: [
      { do: 'drip', text: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n', everyMs },
      { do: 'write', text: 'ok' },
    ],
  };
}

export function dripBody(body: string, everyMs: number, headers: HeaderFields = {}): Answer {
  return {
    steps: [
      { do: 'head', status: 200, headers: { 'content-length': String(body.length), ...headers } },
      { do: 'drip', text: body, everyMs },
      { do: 'end' },
    ],
  };
}

/** A good head, and not a byte of the body that it announced. */
export function stallAfterHead(status = 200, headers: HeaderFields = {}): Answer {
  return stallInBody(0, status, headers);
}

/** That many bytes of `contentOf('a')`, then nothing more. */
export function stallInBody(sentBytes: number, status = 200, headers: HeaderFields = {}): Answer {
  return {
    steps: [
      { do: 'head', status, headers: { 'content-length': String(sentBytes + 1000), ...headers } },
      { do: 'fill', bytes: sentBytes },
      { do: 'stall' },
    ],
  };
}

/** The first `sent` of `declared` bytes of `contentOf('a')`. */
export function cutBody(declared: number, sent: number, how: HangUp, headers: HeaderFields = {}): Play {
  return {
    steps: [
      { do: 'head', status: 200, headers: { 'content-length': String(declared), ...headers } },
      { do: 'fill', bytes: sent },
      { do: how },
    ],
  };
}

/** A whole chunk, half of the next one, and the end. */
export function cutChunked(how: HangUp, sent = 'hello', headers: HeaderFields = {}): Play {
  return {
    steps: [
      { do: 'head', status: 200, headers: { 'transfer-encoding': 'chunked', ...headers } },
      { do: 'body', text: sent },
      { do: 'write', text: 'ff\r\nhalf' },
      { do: how },
    ],
  };
}

/** More bytes than the content-length announces. */
export function tooLong(declared = 'ok', surplus = 'and more'): Play {
  return {
    steps: [
      { do: 'head', status: 200, headers: { 'content-length': String(declared.length) } },
      { do: 'write', text: declared + surplus },
    ],
  };
}

/** Chunks of `contentOf('a')` without end, as fast as the reader takes them. */
export function endlessBody(chunkBytes = 65_536, status = 200, headers: HeaderFields = {}): Answer {
  return {
    steps: [
      { do: 'head', status, headers: { 'transfer-encoding': 'chunked', ...headers } },
      { do: 'fill', bytes: 'endless', chunkBytes },
    ],
  };
}

/** `contentOf('a')` up to this length, as fast as the reader takes it. */
export function bigBody(bytes: number, status = 200, headers: HeaderFields = {}): Answer {
  return {
    steps: [
      { do: 'head', status, headers: { 'content-length': String(bytes), ...headers } },
      { do: 'fill', bytes },
      { do: 'end' },
    ],
  };
}

/** `contentOf(mark)` up to this length, or a single range of it, if one was asked for. */
export function ranged(
  range: string | undefined,
  totalBytes: number,
  headers: HeaderFields = {},
  mark = 'a',
): Answer {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  const from = Number(first ?? 0);
  const to = last ? Math.min(Number(last) + 1, totalBytes) : totalBytes;
  const extent = first === undefined ? {} : { 'content-range': `bytes ${from}-${to - 1}/${totalBytes}` };
  const length = { 'content-length': String(to - from) };
  return {
    steps: [
      { do: 'head', status: first === undefined ? 200 : 206, headers: { ...length, ...extent, ...headers } },
      { do: 'fill', bytes: to - from, from, mark },
      { do: 'end' },
    ],
  };
}

/** The play up to this many bytes of its content, and then the end of the connection. */
export function cutAfter(sentBytes: number, how: HangUp, play: Play): Play {
  const at = play.steps.findIndex((step) => step.do === 'fill');
  const fill = play.steps[at];
  if (fill?.do !== 'fill') throw new TypeError('only a play that fills can be cut');
  return { ...play, steps: [...play.steps.slice(0, at), { ...fill, bytes: sentBytes }, { do: how }] };
}

/** A final answer in place of `100 Continue`; `keep` relies on a client that then sends no body. */
export function continueRefused(status = 417, then: 'close' | 'keep' = 'close'): Play {
  const refusal = { at: 'head', steps: answer(status).steps } as const;
  return then === 'close' ? closeAfter(refusal) : refusal;
}

/** When something happens to an idle connection: at the test's cue, or after a time. */
export type When = { readonly cue: string } | { readonly afterMs: number };

export function pause(when: When): AnswerStep {
  return 'cue' in when ? { do: 'cue', name: when.cue } : { do: 'wait', ms: when.afterMs };
}

/** A good answer; then, on the idle connection, an unsolicited 408, and the end. */
export function idle408(when: When, first: Play = answer(200)): Play {
  return { ...first, steps: [...first.steps, pause(when), ...closeAfter(answer(408)).steps] };
}

/** A good answer; then the idle connection ends without an answer. */
export function hangUpIdle(when: When, how: HangUp = 'fin', first: Play = answer(200)): Play {
  return { ...first, steps: [...first.steps, pause(when), { do: how }] };
}

/** A good answer; then the connection ends just as the next request arrives on it. */
export function keepAliveRace(how: HangUp = 'fin', first: Play = answer(200)): Play {
  return { ...first, steps: [...first.steps, { do: 'next' }, { do: how }] };
}

/** Sends `connection: close`, and closes. */
export function closeAfter(play: Play): Play {
  const steps = play.steps.map((step) =>
    step.do === 'head' && step.status >= 200
      ? { ...step, headers: { ...step.headers, connection: 'close' } }
      : step,
  );
  return { ...play, steps: [...steps, { do: 'fin' }] };
}

/** Switches the protocol, and echoes everything. */
export function upgrade101(protocol = 'echo'): Play {
  const headers = { connection: 'upgrade', upgrade: protocol };
  return { at: 'head', steps: [{ do: 'head', status: 101, headers }, { do: 'echo' }] };
}

/** 200: a tunnel to the requested authority, or an echo. Any other status: a proxy that refuses. */
export function connectTunnel(
  status = 200,
  to: 'target' | 'echo' = 'target',
  headers: HeaderFields = {},
): Play {
  if (status !== 200) return { at: 'head', steps: answer(status, '', headers).steps };
  return {
    at: 'head',
    steps: [{ do: 'head', status, headers }, { do: to === 'target' ? 'tunnel' : 'echo' }],
  };
}

/** The play, which begins at the test's cue. */
export function onCue<S extends Step>(name: string, play: Play<S>): Play<S | AnswerStep> {
  return { ...play, steps: [{ do: 'cue', name }, ...play.steps] };
}
