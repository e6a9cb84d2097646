/** Values that other libraries take: how to write here what they probably mean. It is short, since a page carries it. */

/** `place` is the path of the value. */
export function adviceOnShorthand(value: unknown, place: string): string | undefined {
  if (typeof value === 'number' && place.endsWith('chedule')) return 'Write { kind: "fixed", waitMs: … }.';
  if (typeof value !== 'string' || !place.endsWith('Ms')) return undefined;
  const [, number, unit] = /^(\d+)(s|ms)?$/.exec(value) ?? [];
  return number === undefined ? undefined : `Write ${Number(number) * (unit === 's' ? 1_000 : 1)}.`;
}
