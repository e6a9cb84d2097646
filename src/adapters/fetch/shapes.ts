/**
 * Structural types for the parts of fetch that are used here: platforms, packages, frameworks and mocks have their own
 * classes, and none of them is required.
 */

import { isObject } from '../../core/is-object.js';
import type { OverrideOptions } from '../../core/policy/options.js';

export interface HeadersShape extends Iterable<readonly [string, string]> {
  get(name: string): string | null;
  set?(name: string, value: string): void;
}

export interface RequestShape {
  readonly url: string;
  readonly method: string;
  readonly headers: HeadersShape;
  readonly signal?: AbortSignal | null;
  readonly body?: ReadableStream<Uint8Array> | null;
  readonly bodyUsed?: boolean;
  readonly redirect?: string;
  readonly cache?: string;
  readonly referrer?: string;
  readonly referrerPolicy?: string;
  clone(): RequestShape;
}

/** The caller's own init, or the one that we make from it. */
export interface InitShape {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
  readonly redirect?: string;
  readonly cache?: string;
  readonly duplex?: string;
  readonly retry?: OverrideOptions | false | undefined;
  readonly [key: string]: unknown;
}

export interface ResponseShape {
  readonly status: number;
  readonly headers: HeadersShape;
  /** Some packages have a Node stream here. */
  readonly body?: ReadableStream<Uint8Array> | object | null;
  readonly bodyUsed?: boolean;
  readonly redirected?: boolean;
  readonly url?: string;
  clone(): ResponseShape;
  text(): Promise<string>;
}

export type Fetch = (input: unknown, init?: unknown, ...rest: unknown[]) => Promise<ResponseShape>;

/** Recognises a Request from any realm or package. */
export function isRequest(input: unknown): input is RequestShape {
  if (!isObject(input)) return false;
  const { url, method } = input as Partial<RequestShape>;
  return typeof url === 'string' && typeof method === 'string';
}
