/** Times as people write them. */

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds; undefined: it is none. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h)?$/.exec(text.trim()) ?? [];
  return amount === undefined ? undefined : Number(amount) * (units[unit] ?? Number.NaN);
}

/** In the largest unit that leaves no fraction. */
export function printDuration(ms: number): string {
  const [unit, length] = Object.entries(units).findLast(
    ([, candidate]) => ms >= candidate && ms % candidate === 0,
  ) ?? ['ms', 1];
  return `${ms / length}${unit}`;
}
