/** Settings that are switched on and off, or on with some values of their own. */

/** Missing keys get their defaults. */
export type Partly<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** `true` means the defaults, an object lies over them, `false` is off. */
export function switched<T extends object>(option: boolean | Partial<T>, on: T): T | false {
  if (option === false) return false;
  return option === true ? on : Object.freeze({ ...on, ...option });
}
