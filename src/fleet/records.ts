/** The records that a process shares, and which of them have something to report. */

import type { RecordShare } from './share.js';

export class Records {
  private readonly byKey: Map<string, Set<RecordShare>> = new Map();
  private readonly marked: Set<RecordShare> = new Set();
  /** Those of them that are reported first. */
  private readonly urgent: Set<RecordShare> = new Set();

  add(share: RecordShare): void {
    const shares = this.byKey.get(share.key) ?? new Set();
    this.byKey.set(share.key, shares.add(share));
  }

  delete(share: RecordShare): void {
    const shares = this.byKey.get(share.key);
    shares?.delete(share);
    if (shares?.size === 0) this.byKey.delete(share.key);
  }

  has(share: RecordShare): boolean {
    return this.byKey.get(share.key)?.has(share) === true;
  }

  /** Several, if several retriers of this process share the record. */
  of(key: string): Iterable<RecordShare> {
    return this.byKey.get(key) ?? [];
  }

  all(): RecordShare[] {
    return [...this.byKey.values()].flatMap((shares) => [...shares]);
  }

  first(): Iterable<RecordShare> {
    const [first] = this.byKey.values();
    return first ?? [];
  }

  // -------------------------------------------------------------- to report

  get isMarked(): boolean {
    return this.marked.size > 0;
  }

  mark(share: RecordShare): void {
    share.isMarked = true;
    this.marked.add(share);
  }

  markUrgent(share: RecordShare): void {
    if (share.isMarked) this.urgent.add(share);
  }

  unmark(share: RecordShare): void {
    share.isMarked = false;
    this.marked.delete(share);
    this.urgent.delete(share);
  }

  /** At most so many of those that are marked, which then are not. */
  take(most: number): RecordShare[] {
    const shares: RecordShare[] = [];
    for (const waiting of [this.urgent, this.marked]) {
      for (const share of waiting) {
        if (shares.length === most) break;
        shares.push(share);
        this.unmark(share);
      }
    }
    return shares;
  }
}
