/**
 * Failures as a page sees them: one message for all of them, and what it means is not told. That is what the light entries
 * know. Of Node's codes they know that the network failed, and no more.
 */

import { isObject } from '../../is-object.js';
import { answerInside, statusCodes } from './axios.js';
import type { AnswerInside, Failure } from './row.js';
import { unclear, unheardOf } from './row.js';
import { textOf } from './thrown.js';

/** What browsers and React Native say, for every failure, also of CORS; of long sentences, as much as tells them from others. */
export const pageTexts: readonly string[] = [
  'Failed to fetch',
  'NetworkError when attempting to fetch',
  'Load failed',
  'Network request failed',
  'network connection was lost',
  'Could not connect to the server',
  'specified hostname could not be found',
  'connection appears to be offline',
  // The body was cut off: Chromium and Firefox, to the reader of a stream; Node.
  'network error',
  'Error in input stream',
  'Error in body stream',
  'terminated',
];

/** The browser's wrapper has no cause, and that of a mock says what happened there. */
export const wrapperText = 'Failed to fetch';

/** Ours, axios's in a browser, and the network's in Node. */
const transient =
  /^(ERR_UNDAUNTED_(ATTEMPT_TIMEOUT|DEADLINE)|ERR_NETWORK|UND_ERR_SOCKET|E(CONN|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|(HOST|NET)(DOWN|UNREACH)).*)$/;

interface Link {
  readonly name: string;
  readonly code: string | undefined;
  readonly isKnown: boolean;
}

/** Nothing is ever proven. */
export function readPageFailure(error: unknown, aborted: boolean | undefined): Failure {
  const links: Link[] = [];
  let response: AnswerInside | undefined;
  try {
    for (let at = error; isObject(at) && links.length < 10; at = at['cause']) links.push(linkOf(at));
    response = answerInside(error);
  } catch {
    // A getter that throws: use what was read so far.
  }
  const [outermost = { name: 'NonError', code: undefined, isKnown: false }] = links;
  const known = links.find((link) => link.isKnown);
  const isAborted =
    aborted ?? links.some(({ name, code }) => /^(Abort|Timeout)Error$/.test(name) || code === 'ERR_CANCELED');
  const { name, code } = (isAborted ? undefined : (known ?? links.find((link) => link.code))) ?? outermost;
  const isRefused = code === undefined || statusCodes.has(code);
  return {
    ...(known === undefined || isAborted ? unheardOf : unclear),
    name,
    code,
    aborted: isAborted,
    response: known === undefined && !isAborted && isRefused ? response : undefined,
  };
}

function linkOf(error: Record<string, unknown>): Link {
  const name = textOf(error['name']) ?? 'Error';
  const code = textOf(error['code']);
  const message = textOf(error['message']) ?? '';
  const isWrapper = code === 'ERR_NETWORK' || message === wrapperText;
  const isKnown =
    !(isWrapper && isObject(error['cause'])) &&
    (code === undefined
      ? name === 'TimeoutError' ||
        // A mock of axios's.
        message === 'Network Error' ||
        pageTexts.some((text) => message.includes(text))
      : transient.test(code));
  return { name, code, isKnown };
}
