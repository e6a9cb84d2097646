/** Times as people type them. */

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 };

/** In milliseconds; undefined: it is not a time. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|min|m|h)?$/.exec(text.trim()) ?? [];
  return amount === undefined ? undefined : Number(amount) * (units[unit] ?? Number.NaN);
}
