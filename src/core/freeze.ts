/** Freezes a tree of plain data, branches first. */
export function freezeDeep<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object') freezeDeep(part);
  return Object.freeze(value);
}
