/**
 * Structural types for the parts of axios that are used here. Every version and both of its builds have them, and
 * neither is imported, since axios's own classes differ from build to build.
 */

import type { OverrideOptions } from '../../core/policy/options.js';

export interface HeadersShape {
  get(name: string): unknown;
  set(name: string, value: unknown, rewrite?: boolean): unknown;
  readonly [name: string]: unknown;
}

/** A signal in axios's sense: any object that looks like one. */
interface SignalShape {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener?(type: 'abort', listener: () => void): void;
  removeEventListener?(type: 'abort', listener: () => void): void;
}

export interface CancelTokenShape {
  readonly reason?: unknown;
  subscribe(listener: (reason: unknown) => void): void;
  unsubscribe(listener: (reason: unknown) => void): void;
}

type Transform = (this: unknown, data: unknown, headers: unknown, status?: number) => unknown;

/** The configuration that an adapter gets: merged, with its data transformed. */
export interface RequestConfig {
  adapter?: unknown;
  /** Any object that has a text will do, and null. */
  url?: unknown;
  baseURL?: unknown;
  params?: unknown;
  allowAbsoluteUrls?: boolean | undefined;
  method?: string | undefined;
  headers: HeadersShape;
  data?: unknown;
  auth?: unknown;
  http2Options?: unknown;
  httpAgent?: unknown;
  httpsAgent?: unknown;
  proxy?: unknown;
  socketPath?: string | null;
  withCredentials?: unknown;
  withXSRFToken?: unknown;
  signal?: SignalShape | null | undefined;
  readonly cancelToken?: CancelTokenShape | null;
  readonly transitional?: { readonly legacyInterceptorReqResOrdering?: boolean } | undefined;
  transformRequest?: unknown;
  transformResponse?: Transform | readonly Transform[] | undefined;
  readonly retry?: OverrideOptions | false | undefined;
  /** Of other libraries that retry. */
  readonly 'axios-retry'?: { readonly retries?: unknown; readonly lastRequestTime?: unknown } | null;
  readonly raxConfig?: { readonly currentRetryAttempt?: unknown } | null;
  fetchOptions?: { readonly dispatcher?: unknown; readonly cache?: string } | undefined;
  readonly env?: { readonly fetch?: unknown } | undefined;
  readonly transport?: unknown;
  readonly maxRedirects?: number;
  beforeRedirect?: ((options: RedirectOptions, ...rest: readonly unknown[]) => void) | undefined;
  readonly httpVersion?: unknown;
  onUploadProgress?: ((event: ProgressShape) => void) | undefined;
  onDownloadProgress?: ((event: ProgressShape) => void) | undefined;
}

/** The request that follows a redirect. */
interface RedirectOptions {
  readonly href?: unknown;
  readonly headers?: Record<string, unknown>;
}

interface ProgressShape {
  readonly loaded: number;
}

/** Node's request, or whatever the adapter exposes as the request. */
interface SentShape {
  /** HTTP/2 only. */
  readonly rstCode?: number;
}

export interface ResponseShape {
  readonly status: number;
  data: unknown;
  readonly headers: { get(name: string): unknown } | Record<string, string> | undefined;
  readonly request?: SentShape | undefined;
}

export type Adapter = (config: RequestConfig) => Promise<ResponseShape>;

/** The instance that `attachRetry` takes: of any version and either build, however its methods are typed there. */
export interface AttachableInstance {
  readonly interceptors: {
    readonly request: AttachableInterceptors;
    readonly response: AttachableInterceptors;
  };
  readonly defaults: object;
  request(...given: never[]): Promise<unknown>;
  getUri(...given: never[]): string;
}

interface AttachableInterceptors {
  use: (...given: never[]) => number;
  eject: (id: number) => void;
}

/** The same instance, as the code here uses it. */
export interface InstanceShape {
  readonly interceptors: {
    readonly request: InterceptorsShape;
    readonly response: InterceptorsShape;
  };
  readonly defaults: object;
  /** An instance from `new Axios()` has none. */
  create?(): InstanceShape;
  request(config: object): Promise<unknown>;
  getUri(config: object): string;
}

interface InterceptorsShape {
  use(
    fulfilled: (value: never) => unknown,
    rejected?: ((error: unknown) => unknown) | null,
    options?: { readonly synchronous: boolean },
  ): number;
  eject(id: number): void;
  clear(): void;
}
