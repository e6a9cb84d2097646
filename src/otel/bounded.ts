/** The name that the semantic conventions give to all values that are not told apart. */
export const other = '_OTHER';

/**
 * Keeps the first `most` values and replaces all others by one: each value is a time series for as long as the process
 * lives.
 */
export class Bounded {
  private readonly seen: Set<string> = new Set();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  of(value: string): string {
    if (!this.seen.has(value) && this.seen.size >= this.most) return other;
    this.seen.add(value);
    return value;
  }
}
