/** On which statuses a wait is one for the same request. */

/** 408, 413, 421, 425, 429 and 5xx, but not what time does not change: 501 and 505. */
export function isHintStatus(status: number): boolean {
  if (status >= 500) return status < 600 && status !== 501 && status !== 505;
  return status === 429 || status === 408 || status === 413 || status === 421 || status === 425;
}

/** Here Retry-After is the least wait before following (RFC 9110 10.2.3). 304 is nothing to follow. */
export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}
