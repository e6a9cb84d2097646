/** The faults that only HTTP/2 has. Those of `plays.ts` that return an `Answer` fit both protocols. */

import type { Answer, AnswerStep, HangUp, HeaderFields, Play } from './play.js';
import { answer, pause, type When } from './plays.js';

export type H2Step =
  | AnswerStep
  | { readonly do: 'rst-stream'; readonly code: number }
  /** Streams above the last id were not processed: `previous` disowns the play's own stream, too. */
  | { readonly do: 'goaway'; readonly code: number; readonly last: LastStream }
  /** Ends the connection without any HTTP/2 frame. */
  | { readonly do: 'destroy-session'; readonly how: HangUp };

export type LastStream = 'this' | 'previous';

/** At the head of the request, or (default) once its body is in; at `connect` means at the head here. */
export type H2Play = Play<H2Step>;

/** Resets the stream: before any answer, after the head, or after this many bytes of `contentOf('a')`. */
export function rstStream(code: number, when: 'before' | 'after-head' | number = 'before'): H2Play {
  const reset = { do: 'rst-stream', code } as const;
  if (when === 'before') return { steps: [reset] };
  const head = { do: 'head', status: 200 } as const;
  if (when === 'after-head') return { steps: [head, reset] };
  return { steps: [head, { do: 'fill', bytes: when }, reset] };
}

/** Announces the end of the session, and continues the stream (if it was processed) or not. */
export function goaway(code: number, last: LastStream, then: H2Play = answer(200)): H2Play {
  const steps = last === 'this' ? then.steps : [];
  return { ...then, steps: [{ do: 'goaway', code, last }, ...steps] };
}

/** Ends the session in place of an answer. */
export function destroySession(how: HangUp = 'fin', at: 'head' | 'body' = 'body'): H2Play {
  return { at, steps: [{ do: 'destroy-session', how }] };
}

/** An answer; later, on the idle session, the end of the session. */
export function destroySessionLater(when: When, first: Answer = answer(503), how: HangUp = 'fin'): H2Play {
  return { ...first, steps: [...first.steps, pause(when), { do: 'destroy-session', how }] };
}

export function answerWithTrailers(body: string, trailers: HeaderFields, status = 200): Answer {
  return {
    steps: [
      { do: 'head', status },
      { do: 'body', text: body },
      { do: 'end', trailers },
    ],
  };
}
