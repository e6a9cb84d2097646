/** What the record of each limit has: the result of a merge, and the form of its facts. */

/** The result of merging a report into a record. */
export interface Merged<R, F> {
  readonly record: R;
  /** The facts for the process that reported. */
  readonly facts: F;
  /** The facts for all processes, to be sent at once, without what is granted to one of them. */
  readonly news: F | undefined;
}

export type Part = 'number' | 'sooner or later' | 'numbers' | 'boolean' | 'text or none' | readonly string[];

/** What comes from a store may be anything: what each part of the facts has to be, and what they can say together. */
export interface Wanted<F> {
  readonly parts: { readonly [K in keyof Required<Omit<F, 'limit'>>]: Part };
  canBe?(facts: F): boolean;
}
