/** Notices the end of a body that the caller reads. */

import { builtinModule } from '../../kernel/builtin-module.js';
import { type Cancel, judging, type Sleep } from '../../kernel/timers.js';
import { isStream, isWebStream } from './stream-like.js';

/** Made when it is first used: React Native and older Workers do not have the class. */
let collected: FinalizationRegistry<Finalizer> | undefined;

interface Finalizer {
  readonly end: Cancel;
  /** Is kept until then. */
  readonly needs?: unknown;
}

/** Of the part for Node. */
export interface TellingEnds {
  readonly isEndTold: typeof isEndTold;
}

/**
 * Calls `done` when a web stream ends. Where nothing tells, `done` waits until the garbage collector takes the stream; some
 * platforms do not report that either.
 */
export function whenRead(body: object, done: Cancel, node: TellingEnds | undefined): void {
  if (node?.isEndTold(body, done) !== true) whenCollected(body, { end: done });
}

/** Whether `done` will be called at the end of the stream: Node reports that without a reader, which would lock it. */
export function isEndTold(body: object, done: Cancel): boolean {
  const node = nodeStreams();
  try {
    node?.finished(body, done);
    return node !== undefined;
  } catch {
    // The body is not a stream of this platform.
    return false;
  }
}

/** Calls `end` after the garbage collector has taken the body, to which nothing of the finalizer may lead. */
export function whenCollected(body: object, finalizer: Finalizer): void {
  if (typeof FinalizationRegistry === 'undefined') return;
  collected ??= new FinalizationRegistry(({ end }) => end());
  collected.register(body, finalizer);
}

/** A caller that has not begun to read a body after this time looks only at the head, as most probably it never will. */
const begunMs = 1_000;

/**
 * Calls `done` once, when a body is over: it was read to its end, has broken off, was cancelled or collected, or is not
 * read. Where the platform does not tell, `done` is called at once.
 */
export function whenOver(body: object, sleep: Sleep, done: Cancel): void {
  const watch = new EndWatch(done);
  if (!endsTell(body, watch.over)) {
    watch.over();
    return;
  }
  watch.cancel = sleep(begunMs, () => watch.overUnlessBegun(body), judging('awake', true));
}

/** Nothing of it leads to the body, except for its timer, so that the body can be collected. */
class EndWatch {
  cancel: Cancel | undefined = undefined;
  private done: Cancel | undefined;

  constructor(done: Cancel) {
    this.done = done;
  }

  readonly over = (): void => {
    const { cancel, done } = this;
    this.cancel = undefined;
    this.done = undefined;
    cancel?.();
    done?.();
  };

  overUnlessBegun(body: object): void {
    this.cancel = undefined;
    if (!isBegun(body)) this.over();
    // Until now, the timer has kept it.
    else whenCollected(body, { end: this.over });
  }
}

/** Whether the end of the body will be told. */
function endsTell(body: object, over: Cancel): boolean {
  if (isStream(body)) {
    const { destroyed } = body as { readonly destroyed?: boolean };
    if (destroyed !== true) body.on('close', over);
    return destroyed !== true;
  }
  return isWebStream(body) && isEndTold(body, over);
}

/** A listener for data, a pipe or a reader is enough: the next bytes may take their time. */
function isBegun(body: object): boolean {
  if (isWebStream(body)) return body.locked || nodeStreams()?.isDisturbed(body) === true;
  const { readableFlowing = null } = body as { readonly readableFlowing?: boolean | null };
  return readableFlowing !== null;
}

/** False if the stream is over, or if the platform does not tell. */
export function isStillReadable(body: object | undefined): boolean {
  return body !== undefined && nodeStreams()?.isReadable(body) === true;
}

function nodeStreams(): NodeStreams | undefined {
  return builtinModule<NodeStreams>('node:stream');
}

interface NodeStreams {
  /** Also accepts web streams. */
  finished(stream: object, done: () => void): unknown;
  isDisturbed(stream: object): boolean;
  isReadable(stream: object): boolean | null;
}
