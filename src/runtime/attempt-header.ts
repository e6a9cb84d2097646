/** The header that tells a server the number of the retry, as the server reads it. */

/** What a retry tells the server of itself, if anything. */
export function attemptHeaderOf(header: string | false, retry: number): Readonly<Record<string, string>> {
  return header === false ? {} : { [header]: String(retry) };
}

/** From 1; undefined for a first attempt, and for what is no number. */
export function retryNumberIn(value: unknown): number | undefined {
  const number = Number.parseInt(String(value), 10);
  return number >= 1 ? number : undefined;
}
