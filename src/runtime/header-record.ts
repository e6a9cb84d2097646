/** Headers as a record, in which hooks see and change them: names in lower case, repeated ones as a list. */

export type HeaderRecord = Record<string, string | string[]>;

/** Of every client's headers: what is nothing does not stand there. */
export function recordOf(headers: Iterable<readonly [name: string, value: unknown]>): HeaderRecord {
  const record: HeaderRecord = {};
  for (const [name, value] of headers) {
    if (value === undefined || value === null) continue;
    addTo(record, name.toLowerCase(), Array.isArray(value) ? value.map(String) : String(value));
  }
  return record;
}

export function addTo(
  record: Record<string, string | string[] | undefined>,
  name: string,
  value: string | string[],
): void {
  const before = record[name];
  const next = before === undefined ? value : [before, value].flat();
  // A header may be called __proto__.
  Object.defineProperty(record, name, { value: next, writable: true, enumerable: true, configurable: true });
}
