/** Values that other libraries take where a policy wants more, or less: how to write here what they probably mean. */

type Advice = (value: unknown) => string | undefined;

const onByDefault: Advice = (value) => (value === true ? 'Leave it out: it is on by default.' : undefined);

const scheduleOf: Advice = (value) => {
  if (typeof value === 'number') return 'Write { kind: "fixed", waitMs: … }.';
  if (typeof value === 'string') return 'Write { kind: "exponential" }.';
  return Array.isArray(value) ? 'Write { kind: "table", waitsMs: […] }.' : undefined;
};

const jitterOf: Advice = (value) => {
  if (typeof value === 'number') return 'Write { spread: … } for a share of the wait.';
  return typeof value === 'boolean' ? `Write ${value ? '"full"' : '"none"'}.` : undefined;
};

const limitOf: Advice = (value) =>
  value === Number.POSITIVE_INFINITY || value === null || value === 0 || value === false
    ? 'Leave it out for no limit.'
    : millisecondsOf(value);

const advices: Readonly<Record<string, Advice>> = {
  budget: onByDefault,
  hints: onByDefault,
  schedule: scheduleOf,
  throttledSchedule: scheduleOf,
  jitter: jitterOf,
  unsafeMethods: (value) =>
    value === true || value === 'always'
      ? 'For requests that may always be repeated, write idempotent: true.'
      : undefined,
  idempotencyKey: (value) => (typeof value === 'string' ? 'Write { header: … }.' : undefined),
  match: (value) =>
    typeof value === 'function' || value instanceof RegExp
      ? 'Write { test: … }, a function of the request.'
      : undefined,
  deadlineMs: limitOf,
  attemptTimeoutMs: limitOf,
};

const unitsInMs: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `'30s'` is 30000. */
function millisecondsOf(value: unknown): string | undefined {
  const [, number, unit = ''] = /^(\d{1,6}) ?(|ms|s|m|h)$/.exec(typeof value === 'string' ? value : '') ?? [];
  return number === undefined ? undefined : `Write ${Number(number) * (unitsInMs[unit] ?? 1)}.`;
}

/** `place` is the path of the value. */
export function adviceOnShorthand(value: unknown, place: string): string | undefined {
  const key = /\w*$/.exec(place)?.[0] ?? '';
  if (Object.hasOwn(advices, key)) return advices[key]?.(value);
  return key.endsWith('Ms') && key !== 'waitsMs' ? millisecondsOf(value) : undefined;
}
