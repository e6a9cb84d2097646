/** As the semantic conventions name what they do not tell apart. */
export const other = '_OTHER';

/** The first `most` values, and then one for all others: each is a time series, for as long as the process lives. */
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
