/** Freezes a tree of plain data, its branches first. */
export function freezeDeep<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object') freezeDeep(part);
  return Object.freeze(value);
}
