/** The header that tells a server the number of the retry: written by the client, read by the server. */

/** The headers that a retry adds to say its number; none if `attemptHeader` is off. */
export function attemptHeaderOf(header: string | false, retry: number): Readonly<Record<string, string>> {
  return header === false ? {} : { [header]: String(retry) };
}

/** The number of the retry, from 1. Undefined for a first attempt, and for a value that is not a number. */
export function retryNumberIn(value: unknown): number | undefined {
  const number = Number.parseInt(String(value), 10);
  return number >= 1 ? number : undefined;
}
