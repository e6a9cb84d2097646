/**
 * One sending of a request: the handler that undici calls. It knows where the answer goes: to the caller, aside until
 * that is decided, or nowhere (a small rest is drained, anything else is cut off). Once over, it ignores whatever
 * undici still reports.
 */

import type { Duplex } from 'node:stream';
import type { StartWatch } from '../../drivers/body/stream-start.js';
import { originIn } from '../../kernel/address.js';
import type { Ports } from '../../kernel/ports.js';
import { setLimit } from '../../kernel/time-limits.js';
import type { HeldEnding } from './aside.js';
import { Aside, cutIn, Draining, isShort, type KeptEvent } from './aside.js';
import { innerContext, type RequestContext } from './context.js';
import { givenUpError, movedError } from './errors.js';
import { OldController, refuse } from './generations.js';
import type { Controller, Handler, Head, OldHandler, RawHeaders, ResponseHeaders } from './handlers.js';
import { parseRaw } from './headers.js';
import { type Hops, isQuestion } from './hops.js';
import type { Upload } from './upload.js';

/** Where the events that undici reports go (diagram: `phase.ts`). */
type Course =
  /** To the caller. */
  | { readonly kind: 'live' }
  /**
   * `aside`: events are kept until it is decided whether the caller gets them. `handing`: the caller gets the kept ones
   * first, then the rest.
   */
  | Kept
  | Draining
  | Arriving
  /** Nowhere: no more events are expected. */
  | { readonly kind: 'over' };

interface Kept {
  readonly kind: 'aside' | 'handing';
  readonly aside: Aside;
  /** The head of an answer that waits for its body. */
  readonly heldHead?: Head;
}

/** The head of an answer that waits for its body has come in this turn. Most small bodies come in the same one. */
interface Arriving {
  readonly kind: 'arriving';
  readonly heldHead: Head;
  readonly mostBytes: number;
  readonly ms: number;
  /** What of the body came in the same turn. */
  chunk: Buffer | undefined;
}

const live: Course = { kind: 'live' };
/** Live, and there is nothing to watch about the body that comes: a chunk takes no more than it must. */
const through: Course = { kind: 'live' };
const over: Course = { kind: 'over' };

/** Those whose answers are arriving. The rest of these bodies comes later, if it does not come in this turn. */
let arrivals: Sending[] = [];
let isTurnWatched = false;
const thisTurn = Promise.resolve();

function endOfTurn(): void {
  const late = arrivals;
  arrivals = [];
  isTurnWatched = false;
  for (const sending of late) sending.waitOn();
}
const nothing: unknown[] = [];

/** Few attempts have one: a property for it would make all others larger. */
const uploads: WeakMap<Sending, Upload> = new WeakMap();

/** Callbacks about a request that is being sent. */
export type SendingCallback = 'onBodySent' | 'onRequestSent' | 'onResponseStarted';

/** Is told everything that is meant for the caller, and which sending it came from. */
export interface Receiver {
  readonly context: RequestContext;
  readonly ports: Ports;
  /** The caller has paused the response. */
  readonly paused: boolean;
  /** The final head has been handed over, so only the rest of its body can follow. */
  readonly expectsBody: boolean;
  /** There is something to watch about the body that the caller receives. */
  readonly watchesBody: boolean;
  told(callback: SendingCallback, given: unknown[]): void;
  headed(sending: Sending, status: number, statusText: string | undefined): void;
  /** Whether an answer that has come as a whole, and in one turn, needs no decision: then the caller gets it. */
  acceptsWhole(sending: Sending, head: Head): boolean;
  deliver(sending: Sending, head: Head): void;
  /** The body of an answer that was held is whole, has broken off, or is waited for no longer. */
  gathered(sending: Sending, ending: HeldEnding): void;
  received(sending: Sending, chunk: Buffer): void;
  tellData(chunk: Buffer): void;
  ended(sending: Sending, trailers: ResponseHeaders): void;
  upgraded(sending: Sending, status: number, headers: ResponseHeaders, socket: Duplex): void;
  failed(sending: Sending, error: unknown): void;
  /** Ends the answer where it is, and tells the caller this error, since nothing underneath will. */
  endWith(sending: Sending, error: unknown): void;
}

/** A handler that any dispatcher can call: undici's first generation of callbacks is translated into the second. */
export class Sending implements Handler, OldHandler {
  /** The connection's controller; undefined until undici begins to send the request. */
  controller: Controller | undefined = undefined;
  /** How often undici called onRequestStart: more than once if it moved the request to another connection. */
  starts = 0;
  /** Only if it matters what the end of this attempt proves. */
  hops: Hops | undefined = undefined;
  /** `delivering`: the caller has the final head, and is receiving the body. */
  kind: 'sending' | 'delivering' = 'sending';
  /** How much of the body the caller has. */
  receivedBytes = 0;
  private receiver: Receiver;
  private course: Course = live;
  private parsed: ResponseHeaders | undefined = undefined;

  constructor(receiver: Receiver) {
    this.receiver = receiver;
  }

  /** Those of the last head. A first-generation caller takes them raw, and mostly nothing else reads them. */
  get headers(): ResponseHeaders {
    this.parsed ??= parseRaw(this.controller?.rawHeaders);
    return this.parsed;
  }

  /** The head of an answer that waits for its body. */
  get heldHead(): Head | undefined {
    const { course } = this;
    return 'heldHead' in course ? course.heldHead : undefined;
  }

  get isLive(): boolean {
    return this.course === live || this.course === through;
  }

  get isAside(): boolean {
    return this.course.kind === 'aside';
  }

  /** Another receiver is told what happens from now on. */
  reportTo(receiver: Receiver): void {
    this.receiver = receiver;
  }

  /** Started more than once because of a redirect, not because undici moved the request to another connection. */
  get isRedirected(): boolean {
    return this.starts > 1 && (this.hopsSoFar?.length ?? 0) > 0;
  }

  /** Whether redirects are known to have led to another origin than this. */
  hasLeft(origin: string | undefined): boolean {
    const last = this.isRedirected ? this.hopsSoFar?.at(-1) : undefined;
    return (
      last !== undefined && origin !== undefined && originIn(String(last)) !== (originIn(origin) ?? origin)
    );
  }

  /**
   * The URLs that redirects led through, as text; undefined if that is not known: the attempt was started more often
   * than a layer underneath says, which hides redirects, or undici has moved the request.
   */
  get path(): string | undefined {
    const hops = this.hopsSoFar;
    if (hops === undefined) return this.starts > 1 ? undefined : '';
    return this.starts > hops.length + 1 ? undefined : hops.join(' ');
  }

  private get hopsSoFar(): readonly unknown[] | undefined {
    const { history } = this.layersContext as { readonly history?: unknown };
    return Array.isArray(history) ? history : undefined;
  }

  /** The stream that sends a kept body. */
  get upload(): Upload | undefined {
    return uploads.get(this);
  }

  set upload(upload: Upload) {
    uploads.set(this, upload);
  }

  /** True while some of the request's body has not been sent. */
  get isUploading(): boolean {
    return this.upload?.readable === true;
  }

  // -------------------------------------------------------------- callbacks of undici

  onRequestStart(controller: Controller, context: unknown): void {
    const inner = innerContext(context);
    if (inner !== undefined) {
      // Not a real start: a retry() underneath asks whether it is needed.
      inner.claim();
      return;
    }
    if (this.isGivenUp) {
      refuse(controller);
      return;
    }
    if (this.isAnswered) {
      this.startedAgain(controller);
      return;
    }
    // A layer underneath may have a context for the caller.
    if (typeof context === 'object' && context !== null) this.adopt(context);
    this.starts += 1;
    this.controller = controller;
    this.hops?.began();
    // Part of the body has been read already and is missing now.
    if (this.starts > 1 && this.upload?.readableDidRead === true && !this.isRedirected) {
      this.startedAgain(controller);
    }
  }

  protected get isGivenUp(): boolean {
    return this.course.kind === 'over';
  }

  protected adopt(context: object): void {
    this.receiver.context.adopt(context);
  }

  /** What the layers underneath have put into the context. */
  protected get layersContext(): object {
    return this.receiver.context.shown;
  }

  /** The head has been seen, so only the rest of its body can follow. */
  private get isAnswered(): boolean {
    return this.isLive ? this.receiver.expectsBody : this.course.kind !== 'over';
  }

  /** undici 6 moves a request to another connection even in the middle of its answer, which would then come twice. */
  private startedAgain(controller: Controller): void {
    const error = movedError();
    this.onResponseError(controller, error);
    controller.abort(error);
  }

  onResponseStart(controller: Controller, status: number, headers: ResponseHeaders, text?: string): void {
    this.headComes(controller, status, headers, text);
  }

  private headComes(
    controller: Controller,
    status: number,
    headers: ResponseHeaders | undefined,
    text: string | undefined,
  ): void {
    if (!this.isLive) return;
    this.controller = controller;
    this.parsed = headers;
    if (status >= 200) this.hops?.answered(status, this.starts);
    this.receiver.headed(this, status, text);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    const { course } = this;
    if (course === through) {
      // `length`, since Node 20 calls the getter of `byteLength`, which takes ten times as long as all else here.
      this.receivedBytes += chunk.length;
      this.receiver.tellData(chunk);
    } else this.receivedInstead(course, chunk);
  }

  private receivedInstead(course: Course, chunk: Buffer): void {
    if (course === live) this.receiver.received(this, chunk);
    else if (course.kind === 'arriving') this.arrives(course, chunk);
    else if (course.kind === 'draining') course.count(chunk);
    else if ('aside' in course) course.aside.keep({ kind: 'data', chunk });
  }

  onResponseEnd(_controller: Controller, trailers: ResponseHeaders): void {
    const { course } = this;
    if (course === through || course === live) this.endsLive(trailers);
    else this.endsInstead(course, trailers);
  }

  private endsInstead(course: Course, trailers: ResponseHeaders): void {
    if (course.kind === 'arriving') this.arrivedAtOnce(course, trailers);
    else if ('aside' in course) course.aside.keep({ kind: 'end', trailers });
    else this.finish();
  }

  private endsLive(trailers: ResponseHeaders): void {
    this.receiver.ended(this, trailers);
    this.course = over;
  }

  onResponseError(_controller: Controller | null, error: unknown): void {
    this.waitOn();
    const { course, upload } = this;
    const told = upload === undefined ? error : upload.explained(error);
    if (course.kind !== 'over') this.hops?.failed(error, told, this.starts);
    if (course.kind === 'aside' || course.kind === 'handing')
      course.aside.keep({ kind: 'error', error: told });
    else this.fail(told);
  }

  private fail(error: unknown): void {
    const isTheCallers = this.isLive || this.course.kind === 'handing';
    this.finish();
    if (isTheCallers) this.receiver.failed(this, error);
  }

  onRequestUpgrade(controller: Controller, status: number, headers: ResponseHeaders, socket: Duplex): void {
    this.controller = controller;
    if (this.isLive) this.receiver.upgraded(this, status, headers, socket);
    else socket.destroy();
  }

  onBodySent(...sent: unknown[]): void {
    if (this.isLive) this.receiver.told('onBodySent', sent);
  }

  onRequestSent(): void {
    if (this.isLive) this.receiver.told('onRequestSent', nothing);
  }

  onResponseStarted(): void {
    if (!isQuestion(this)) this.answerBegins();
  }

  protected answerBegins(): void {
    if (this.isLive) this.tellBeginning();
  }

  protected tellBeginning(): void {
    this.receiver.told('onResponseStarted', nothing);
  }

  /** What waits for its answer does so no longer. */
  stopWatch(): void {}

  // -------------------------------------------------------------- where the answer goes

  /** The caller pauses the response. A connection that has brought all of it may serve another request already. */
  pause(): void {
    if (!this.hasArrived) this.controller?.pause();
  }

  private get hasArrived(): boolean {
    const { course } = this;
    return (course.kind === 'aside' || course.kind === 'handing') && course.aside.hasEnded;
  }

  /** The caller resumes the response. */
  resume(): void {
    if (this.isLive) this.controller?.resume();
    else this.handOver();
  }

  /** The caller gets the head now. */
  deliver(): void {
    this.kind = 'delivering';
    if (this.course === live) this.goLive();
  }

  /** The rest of a body that broke off comes from this attempt. */
  deliverRest({ headers, receivedBytes }: Sending): void {
    this.kind = 'delivering';
    this.parsed = headers;
    this.receivedBytes = receivedBytes;
  }

  /** Keeps what arrives until it is decided whether the caller gets it. */
  setAside(): void {
    if (this.isLive) this.setAsideUntilFull(new Aside());
  }

  private setAsideUntilFull(aside: Aside): void {
    this.course = { kind: 'aside', aside };
    aside.fillUp(() => this.controller?.pause());
  }

  /** Whether the whole body of an answer that is kept aside has come. */
  get isComplete(): boolean {
    return this.course.kind === 'aside' && this.course.aside.hasEnded;
  }

  /**
   * Gathers the beginning of the body to read a hint from: `mostBytes`, or whatever arrives within `ms`. The response stays
   * aside.
   */
  gather(mostBytes: number, ms: number, done: (bytes: Uint8Array) => void): void {
    const aside = this.course.kind === 'aside' ? this.course.aside : new Aside();
    this.course = { kind: 'aside', aside };
    aside.gather(this.receiver.ports.sleep, mostBytes, ms, (bytes) => {
      this.setAsideUntilFull(aside);
      done(bytes);
    });
  }

  /** Keeps the answer aside until its body is whole, but for no more than `mostBytes` and `ms`. */
  waitForBody(head: Head, mostBytes: number, ms: number): void {
    this.course = { kind: 'arriving', heldHead: head, mostBytes, ms, chunk: undefined };
    arrivals.push(this);
    if (isTurnWatched) return;
    isTurnWatched = true;
    void thisTurn.then(endOfTurn);
  }

  /** Keeps the answer aside until its stream has begun, but for no more than `mostBytes` and `ms`. */
  waitForStart(head: Head, start: StartWatch, mostBytes: number, ms: number): void {
    const aside = new Aside();
    this.course = { kind: 'aside', aside, heldHead: head };
    const look = (chunk: Buffer): boolean => start.sees(chunk);
    aside.watchFor(this.receiver.ports.sleep, ms, mostBytes, look, () => {
      const cut = start.isOpen ? cutIn(aside, head) : undefined;
      const began = cut === undefined ? start.failure(aside.hasEnded) : undefined;
      this.setAsideUntilFull(aside);
      this.receiver.gathered(this, { kind: 'head', head, isHeld: true, cut, began });
    });
  }

  /** The turn is over, and the body is not whole. */
  waitOn(): void {
    const { course } = this;
    if (course.kind !== 'arriving') return;
    const { heldHead: head, mostBytes, ms, chunk } = course;
    const aside = new Aside();
    this.course = { kind: 'aside', aside, heldHead: head };
    if (chunk !== undefined) aside.keep({ kind: 'data', chunk });
    aside.waitFor(this.receiver.ports.sleep, ms, mostBytes, () => {
      this.setAsideUntilFull(aside);
      this.receiver.gathered(this, { kind: 'head', head, isHeld: true, cut: cutIn(aside, head) });
    });
  }

  /** Keeps what came in the same turn as its head. */
  private arrives(course: Arriving, chunk: Buffer): void {
    if (course.chunk === undefined && chunk.length <= course.mostBytes) course.chunk = chunk;
    else {
      this.waitOn();
      this.keep({ kind: 'data', chunk });
    }
  }

  /** The body is whole, and has come in the same turn as its head. */
  private arrivedAtOnce(course: Arriving, trailers: ResponseHeaders): void {
    const { receiver } = this;
    const { heldHead: head, chunk } = course;
    if (arrivals.at(-1) === this) arrivals.pop();
    if (isShort(head, chunk?.length ?? 0) || !receiver.acceptsWhole(this, head)) {
      this.waitOn();
      this.keep({ kind: 'end', trailers });
      return;
    }
    // A listener may have aborted the request.
    if (this.course !== course) return;
    this.course = live;
    receiver.deliver(this, head);
    // The caller may abort in each of these callbacks.
    if (!this.isLive) return;
    if (receiver.paused) this.handLater(chunk, trailers);
    else {
      if (chunk !== undefined) receiver.received(this, chunk);
      if (receiver.paused) this.handLater(undefined, trailers);
      else if (this.isLive) this.endsLive(trailers);
    }
  }

  /** The caller has paused, and gets the rest once it resumes. */
  private handLater(chunk: Buffer | undefined, trailers: ResponseHeaders): void {
    if (!this.isLive) return;
    const aside = new Aside();
    this.course = { kind: 'handing', aside };
    if (chunk !== undefined) aside.keep({ kind: 'data', chunk });
    aside.keep({ kind: 'end', trailers });
  }

  private keep(event: KeptEvent): void {
    const { course } = this;
    if (course.kind === 'aside' || course.kind === 'handing') course.aside.keep(event);
  }

  /** Waits no longer for the rest of the body. */
  letGo(): void {
    this.waitOn();
    if (this.course.kind === 'aside' && this.heldHead !== undefined) this.course.aside.waitNoLonger();
  }

  /** Whether an error is among what was kept for the caller. */
  get isBroken(): boolean {
    const { course } = this;
    return (course.kind === 'aside' || course.kind === 'handing') && course.aside.end?.kind === 'error';
  }

  /**
   * Gathers the whole body for `retryIf`, up to `mostBytes`. The response stays aside. Undefined if there is no whole
   * body to be had, or no longer.
   */
  gatherWhole(mostBytes: number, done: (bytes: Uint8Array | undefined) => void): void {
    this.setAside();
    const { course } = this;
    if (course.kind !== 'aside') {
      done(undefined);
      return;
    }
    course.aside.gatherWhole(mostBytes, (bytes) => {
      if (this.course === course) this.setAsideUntilFull(course.aside);
      done(bytes);
    });
    // As much as fits aside may have come already, so that the connection is paused.
    queueMicrotask(() => {
      if (this.course === course) this.controller?.resume();
    });
  }

  /** Gives the caller everything that was kept, and everything that follows. */
  goOn(): void {
    const { course } = this;
    if (course.kind !== 'aside') return;
    course.aside.stop();
    this.course = { kind: 'handing', aside: course.aside };
    this.handOver();
  }

  /** Stops where the caller pauses. */
  private handOver(): void {
    const { course, receiver } = this;
    if (course.kind !== 'handing' || course.aside.isHandingOver) return;
    const { aside } = course;
    aside.isHandingOver = true;
    let isFed = false;
    try {
      while (this.course === course && !receiver.paused) {
        const event = aside.kept.shift();
        // A body that fails in the turn of its last bytes would drop them unread.
        if (event?.kind === 'error' && isFed) {
          aside.kept.push(event);
          setImmediate(() => this.handOver());
          break;
        }
        isFed = event?.kind === 'data';
        if (event === undefined) {
          this.goLive();
          this.controller?.resume();
        } else this.pass(event);
        // Nothing is resumed then: the connection may serve another request already.
        if (event?.kind === 'end' && this.course === course) this.course = live;
      }
    } catch (error) {
      receiver.endWith(this, error);
    }
    aside.isHandingOver = false;
  }

  /** The caller has the head, and gets the rest as it comes. */
  private goLive(): void {
    this.course = this.receiver.watchesBody ? live : through;
  }

  private pass(event: KeptEvent): void {
    if (event.kind === 'data') this.receiver.received(this, event.chunk);
    else if (event.kind === 'end') this.receiver.ended(this, event.trailers);
    else this.fail(event.error);
  }

  /** Discards this response. A small rest is read, which costs less than a new connection. */
  drain(ms: number): void {
    const { course } = this;
    if (this.hasArrived) {
      this.finish();
      return;
    }
    if (course.kind === 'aside') course.aside.stop();
    const draining = new Draining(this, ms);
    this.course = draining;
    setLimit(draining, this.receiver.ports, 'awake', true);
    // Not at once: undici throws if one connection is resumed while it parses what another one brings.
    void thisTurn.then(() => {
      if (this.course === draining) this.controller?.resume();
    });
  }

  /** Gives up the attempt, and its connection if the request is on one. */
  cut(cause?: unknown): void {
    if (this.course.kind !== 'over') this.leave(givenUpError(cause));
  }

  private leave(reason: unknown): void {
    const { upload } = this;
    this.finish();
    const abort = (): void => this.controller?.abort(reason);
    if (upload?.readable !== true) abort();
    // undici has not begun the request. An error of its body would make it abort the request, and destroy the
    // connection, as soon as there is one.
    else if (this.starts === 0) upload.destroy();
    else upload.breakOff(abort);
  }

  /** Gives up the attempt with an error, which counts as its end. */
  break(error: unknown): void {
    const { receiver } = this;
    this.cut(error);
    receiver.failed(this, error);
  }

  /**
   * Aborts for the caller. Without a reason, undici makes an error of its own and reports it to a sending that is live.
   */
  abort(reason: unknown, error: unknown): void {
    if (this.isLive && !this.isUploading) this.controller?.abort(reason);
    if (this.course.kind !== 'over') this.leave(error);
  }

  private finish(): void {
    const { course } = this;
    this.course = over;
    this.stopWatch();
    this.hops?.leave();
    if ('aside' in course) course.aside.stop();
    else if (course.kind === 'draining') course.stop();
  }

  // -------------------------------------------------------------- callbacks of undici's first generation

  onConnect(abort: (reason?: unknown) => void, context: unknown): void {
    // The MockAgent gives null.
    this.onRequestStart(new OldController(abort, context !== null), context);
  }

  onHeaders(status: number, rawHeaders: RawHeaders, resume: () => void, statusText?: string): boolean {
    const controller = this.oldController();
    controller.rawHeaders = rawHeaders;
    controller.onResume = resume;
    this.headComes(
      controller,
      status,
      Array.isArray(rawHeaders) ? undefined : parseRaw(rawHeaders),
      statusText,
    );
    return !controller.paused;
  }

  onData(chunk: Buffer): boolean {
    const controller = this.oldController();
    this.onResponseData(controller, chunk);
    return !controller.paused;
  }

  onComplete(rawTrailers: RawHeaders): void {
    const controller = this.oldController();
    controller.rawTrailers = rawTrailers;
    this.onResponseEnd(controller, parseRaw(rawTrailers));
  }

  onError(error: unknown): void {
    this.onResponseError(this.controller ?? null, error);
  }

  onUpgrade(status: number, rawHeaders: RawHeaders, socket: Duplex): void {
    const controller = this.oldController();
    controller.rawHeaders = rawHeaders;
    this.onRequestUpgrade(controller, status, parseRaw(rawHeaders), socket);
  }

  private oldController(): OldController {
    // undici 6's MockAgent answers without calling onConnect.
    if (!(this.controller instanceof OldController))
      this.controller = new OldController(() => undefined, false);
    return this.controller as OldController;
  }
}
