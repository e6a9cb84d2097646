/** The value that the caller would get as `response.data`, for hooks that judge by it. */

import { isStream, isWebStream } from '../../drivers/stream-like.js';
import type { HeadersShape, RequestConfig, ResponseShape } from './shapes.js';

/**
 * Parsed anew at each call, since axios's transforms may change what they are given. A stream is left for the caller to
 * read.
 */
export async function parsedBody(response: ResponseShape, config: RequestConfig): Promise<unknown> {
  const { data, status } = response;
  if (typeof data === 'object' && data !== null && (isStream(data) || isWebStream(data))) return undefined;
  const Headers = config.headers.constructor as new (from: unknown) => HeadersShape;
  const headers = new Headers(response.headers);
  const transforms = [config.transformResponse ?? []].flat();
  return transforms.reduce(
    (value: unknown, transform) => transform.call(config, value, headers, status),
    data,
  );
}
