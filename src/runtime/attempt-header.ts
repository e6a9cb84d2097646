/** The header that tells a server the number of the retry, as whoever gets it reads it. */

/** From 1; undefined for a first attempt, and for what is no number. */
export function retryNumberIn(value: unknown): number | undefined {
  const number = Number.parseInt(String(value), 10);
  return number >= 1 ? number : undefined;
}
