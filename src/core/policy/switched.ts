/** `true` means the defaults, an object lies over them, `false` is off. */
export function switched<T extends object>(option: boolean | Partial<T>, on: T): T | false {
  if (option === false) return false;
  return option === true ? on : Object.freeze({ ...on, ...option });
}
