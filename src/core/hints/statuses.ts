/** The statuses on which a wait means: then send the same request again. */

/** 408, 413, 421, 425, 429 and 5xx, except 501 and 505, which waiting does not change. */
export function isHintStatus(status: number): boolean {
  if (status >= 500) return status < 600 && status !== 501 && status !== 505;
  return status === 429 || status === 408 || status === 413 || status === 421 || status === 425;
}

/** Here, Retry-After is the least wait before the redirect is followed (RFC 9110 10.2.3). 304 is not followed. */
export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}
