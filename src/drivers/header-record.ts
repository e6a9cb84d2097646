/** Headers as a record, which hooks read and change: names in lower case, repeated headers as a list. */

export type HeaderRecord = Record<string, string | string[]>;

/** Works for the headers of every client. A header whose value is null or undefined is left out. */
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
  if (!(name in record)) {
    record[name] = value;
    return;
  }
  // A header may be called `constructor` or `__proto__`.
  const next = Object.hasOwn(record, name) ? [record[name] ?? [], value].flat() : value;
  Object.defineProperty(record, name, { value: next, writable: true, enumerable: true, configurable: true });
}
