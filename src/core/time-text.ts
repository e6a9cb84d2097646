/** Prints times for people. The library and its tools all print them in this way. */

const year = 31_557_600_000;

/** From the longest to the shortest. Each unit is used from twice its length on. */
const units = [
  ['years', year],
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** `50 ms`, `2.5 s`, `90 s`, `2 h`: three digits are enough to compare times. */
export function timeText(ms = 0): string {
  return inDigits(ms, 3);
}

function inDigits(ms: number, digits: number): string {
  // A simulated server that has collapsed may answer in thousands of years.
  if (ms >= 1_000 * year) return 'over 1,000 years';
  for (const [unit, length] of units) {
    if (ms >= 2 * length) return `${rounded(ms / length, digits)} ${unit}`;
  }
  if (ms >= 999.5) return `${rounded(ms / 1_000, digits)} s`;
  // Timers count whole milliseconds, so decimals are printed only below 10 ms, for slots.
  return `${rounded(ms < 10 ? ms : Math.round(ms), digits)} ms`;
}

/** Two times to compare, with enough digits to tell them apart, unless they are equal. */
export function timeTexts(one: number, other: number): [string, string] {
  for (let digits = 3; ; digits += 1) {
    const texts: [string, string] = [inDigits(one, digits), inDigits(other, digits)];
    if (texts[0] !== texts[1] || one === other || digits > 15) return texts;
  }
}

function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
