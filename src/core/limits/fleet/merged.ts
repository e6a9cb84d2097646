/** The result of merging a report into a record. */

export interface Merged<R, F> {
  readonly record: R;
  /** The facts for the process that reported. */
  readonly facts: F;
  /** The facts for all processes, to be sent at once, without what is granted to one of them. */
  readonly news: F | undefined;
}
