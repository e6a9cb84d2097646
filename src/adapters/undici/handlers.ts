/**
 * Structural types of undici's handlers and controllers. undici 6 has the first generation of callbacks, 7 both, 8 the
 * second; the fetch built into Node has the callbacks of its own undici.
 */

import type { Duplex } from 'node:stream';

export type ResponseHeaders = Record<string, string | string[] | undefined>;
/** Alternating names and values (HTTP/1.1), or a record (HTTP/2 in undici 8). */
export type RawHeaders = readonly (Buffer | string | readonly (Buffer | string)[])[] | ResponseHeaders | null;

export interface DispatchOptions {
  readonly origin?: string | URL;
  readonly path: string;
  readonly method: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly upgrade?: unknown;
  readonly retry?: unknown;
  readonly [key: PropertyKey]: unknown;
}

export interface Head {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly statusText?: string | undefined;
}

export type Dispatch = (options: DispatchOptions, handler: Handler) => boolean;

/** Pauses, resumes and aborts the connection. */
export interface Controller {
  readonly paused: boolean;
  readonly aborted: boolean;
  readonly reason: unknown;
  rawHeaders?: RawHeaders;
  rawTrailers?: RawHeaders;
  pause(): void;
  resume(): void;
  abort(reason?: unknown): void;
}

/** The callbacks of the second generation. */
export interface Handler {
  onRequestStart?(controller: Controller, context: unknown): void;
  onRequestUpgrade?(controller: Controller, status: number, headers: ResponseHeaders, socket: Duplex): void;
  onResponseStart?(
    controller: Controller,
    status: number,
    headers: ResponseHeaders,
    statusText?: string,
  ): void;
  onResponseData?(controller: Controller, chunk: Buffer): void;
  onResponseEnd?(controller: Controller, trailers: ResponseHeaders): void;
  onResponseError?(controller: Controller | null, error: unknown): void;
  onBodySent?(...sent: unknown[]): void;
  onRequestSent?(): void;
  onResponseStarted?(): void;
}

/** The callbacks of the first generation. */
export interface OldHandler extends Pick<Handler, 'onBodySent' | 'onRequestSent' | 'onResponseStarted'> {
  onConnect?(abort: (reason?: unknown) => void, context: unknown): void;
  onUpgrade?(status: number, rawHeaders: RawHeaders, socket: Duplex): void;
  onHeaders?(status: number, rawHeaders: RawHeaders, resume: () => void, statusText?: string): unknown;
  onData?(chunk: Buffer): unknown;
  onComplete?(rawTrailers: RawHeaders): void;
  onError?(error: unknown): void;
}
