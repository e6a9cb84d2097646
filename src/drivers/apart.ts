/**
 * Two attempts that are out at the same time: neither meets what the other one, or the caller, does, and the browser's
 * cache does not answer the second one in place of the server.
 */

import { isObject } from '../core/is-object.js';
import type { Ending } from './loop/exchange.js';
import { type CopySender, copyWith, sendCopy } from './sent-by-axios.js';

/**
 * Browsers answer a second GET of the same URL only once the head of the first has come, since it might be answered from
 * the cache: a hedge would never win. One that does not ask the cache is sent at once. Tried with Chromium 156.
 */
function hasBrowserCache(method: string): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return method === 'GET' && navigator?.userAgent?.startsWith('Mozilla/') === true;
}

/** The cache mode of the hedge: its answer is still stored. */
const pastTheCache = 'reload';

interface Init {
  readonly cache?: string;
  readonly [key: string]: unknown;
}

/** The init of a hedge by fetch. */
export function initOfHedge(
  init: Init | null | undefined,
  input: unknown,
  method: string,
): Init | null | undefined {
  const { cache = 'default' } = { cache: (Object(input) as Init).cache, ...init };
  return cache === 'default' && hasBrowserCache(method) ? { ...init, cache: pastTheCache } : init;
}

// ---------------------------------------------------------------- by axios

type Listener = (event: { readonly loaded: number }) => void;

/** Of the configuration, what differs from one attempt to the other. */
interface ApartConfig {
  headers: { set(name: string, value: unknown, rewrite?: boolean): unknown };
  fetchOptions?: { readonly cache?: string } | undefined;
  onUploadProgress?: Listener | undefined;
  onDownloadProgress?: Listener | undefined;
}

interface ApartExchange<Config, Answer> extends CopySender<Config> {
  readonly config: Config;
  readonly method: string;
  readonly origin: string | undefined;
  sendConfig(copy: Config): Promise<Answer>;
  answerOf(ending: Ending<Answer>): Answer | undefined;
}

/** Two attempts at once make progress side by side: the caller hears about the one that is ahead. */
interface Progress {
  /** How many bytes the caller has been told about. */
  up: number;
  down: number;
  /** Once the request is over: the caller hears about this attempt only. */
  only?: Attempted | undefined;
}

/** Stands for an attempt. It does not hold the answer, which the caller may have long dropped. */
type Attempted = object;

const attemptOf: WeakMap<object, Attempted> = /* @__PURE__ */ new WeakMap();

/** Sends each attempt with a configuration of its own. */
export class AttemptsApart<Config extends ApartConfig, Answer> {
  private readonly exchange: ApartExchange<Config, Answer>;
  /** Undefined: the caller does not ask for it. */
  private progress: Progress | undefined = undefined;

  constructor(exchange: ApartExchange<Config, Answer>) {
    this.exchange = exchange;
  }

  /** `own`: the signal and the headers of the attempt. */
  async send(own: Partial<Config>, isHedge: boolean): Promise<Answer> {
    const { config, method, origin } = this.exchange;
    if (!isHedge) this.progress = progressOf(config);
    const { progress } = this;
    const attempted: Attempted = {};
    const copy = copyWith(config, {
      ...own,
      ...(progress && listenersTo(config, progress, attempted)),
    });
    if (isHedge && hasBrowserCache(method)) bypassCache(copy, origin);
    try {
      const { exchange } = this;
      const response = await sendCopy(
        copy,
        (own) => exchange.sendConfig(own),
        (settled) => exchange.shown(settled, copy),
      );
      if (progress !== undefined) this.remember({ kind: 'response', response }, attempted);
      return response;
    } catch (error) {
      if (progress !== undefined) this.remember({ kind: 'error', error }, attempted);
      throw error;
    }
  }

  private remember(ending: Ending<Answer>, attempted: Attempted): void {
    const answer = this.exchange.answerOf(ending);
    // An adapter of the caller's may return nothing at all.
    if (isObject(answer)) attemptOf.set(answer, attempted);
  }

  /** The request is over, with this answer: the caller hears no more of the attempt that has lost. */
  end(answer: Answer | undefined): void {
    const { progress } = this;
    if (progress !== undefined) progress.only = (answer && attemptOf.get(answer)) ?? {};
  }
}

/** To another origin, the header would make the browser ask that server first, so only `fetch` bypasses its cache. */
function bypassCache(copy: ApartConfig, origin: string | undefined): void {
  const { location } = globalThis as { readonly location?: { readonly origin: string } };
  const isSameOrigin = origin === undefined || origin === location?.origin;
  if (isSameOrigin) copy.headers.set('Cache-Control', 'no-cache', false);
  copy.fetchOptions = { cache: pastTheCache, ...copy.fetchOptions };
}

type Listening = Pick<ApartConfig, 'onUploadProgress' | 'onDownloadProgress'>;

function progressOf({ onUploadProgress, onDownloadProgress }: Listening): Progress | undefined {
  const isAsked = typeof onUploadProgress === 'function' || typeof onDownloadProgress === 'function';
  return isAsked ? { up: 0, down: 0 } : undefined;
}

function listenersTo(
  { onUploadProgress, onDownloadProgress }: Listening,
  progress: Progress,
  attempted: Attempted,
): Listening {
  const whenAhead =
    (way: 'up' | 'down', listener: Listener): Listener =>
    (event) => {
      const { only = attempted } = progress;
      if (only !== attempted || event.loaded <= progress[way]) return;
      progress[way] = event.loaded;
      listener(event);
    };
  return {
    ...(typeof onUploadProgress === 'function' && { onUploadProgress: whenAhead('up', onUploadProgress) }),
    ...(typeof onDownloadProgress === 'function' && {
      onDownloadProgress: whenAhead('down', onDownloadProgress),
    }),
  };
}
