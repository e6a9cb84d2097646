/** What becomes of a record and a report. */

export interface Merged<R, F> {
  readonly record: R;
  /** For the process that reported. */
  readonly facts: F;
  /** For all, at once; what only the asking process has got is not in it. */
  readonly news: F | undefined;
}
