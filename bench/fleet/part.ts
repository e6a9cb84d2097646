/** What all parts need, and what they return. */

export interface Ground {
  /** Where `redis` is installed. */
  readonly nodeRedis: string;
  readonly processes: number;
  readonly rounds: number;
}

export interface Line {
  readonly what: string;
  readonly figure: string;
  readonly wanted: string;
  readonly isMet: boolean;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

export function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
