/** The known name that was most likely meant by `name`, if there is one. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const written = name.toLowerCase();
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    const distance = distanceOf(written, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Infinite where two names have nothing in common. */
function distanceOf(written: string, known: string): number {
  // Up to a third of the letters may be typos; `retries` for `maxRetries` is a part of the name.
  const limit = Math.max(1, Math.floor(known.length / 3));
  const typos = Math.abs(written.length - known.length) <= limit ? edits(written, known) : Infinity;
  if (typos <= limit) return typos;
  const isPart = written.length >= 4 && known.includes(written);
  // Farther than any typo, and nearer to shorter names.
  return isPart ? known.length : Infinity;
}

/** Insertions, deletions, replacements and swaps of neighbours. Names here are short: see the limit above. */
function edits(from: string, to: string): number {
  // Stryker disable next-line ArrayDeclaration: not looked at before the second row.
  let beforeLast: number[] = [];
  let last = new Array<number>(to.length + 1).fill(0).map((_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        at(row, j - 1) + 1,
        at(last, j) + 1,
        at(last, j - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, j - 2) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
