/** Whether a value of any kind has properties that can be asked for. A function is not meant. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
