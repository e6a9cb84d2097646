import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allHintSets, readHint } from '../../../src/core/hints/all-sets.js';
import { compileHints } from '../../../src/core/hints/compile.js';
import { parseLenientDate } from '../../../src/core/hints/lenient-date.js';
import { datesKey } from '../../../src/core/hints/rows.js';
import type { HintSetName } from '../../../src/core/hints/sets.js';
import { isRedirect } from '../../../src/core/hints/statuses.js';
import { essentials } from '../../../src/core/policy/parts.js';
import type { HeadersLike, Hint } from '../../../src/core/types.js';

interface Case {
  readonly id: string;
  readonly name: string;
  readonly profile: HintSetName;
  readonly method?: string;
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body?: unknown;
  readonly now: string;
  readonly expected: Hint;
}

const file: { readonly vectors: readonly Case[] } = JSON.parse(
  readFileSync(new URL('../../../fixtures/hints.json', import.meta.url), 'utf8'),
);

/** The cases in which we differ from the file, and why. */
const departures: Readonly<Record<string, { readonly hint: Hint | undefined; readonly why: string }>> = {
  'ms-headers-010': {
    hint: { delayMs: 30_000, reason: 'delay-seconds' },
    why: 'A 0 from one source does not hide a positive wait from the next one.',
  },
  'vendor-018': {
    hint: undefined,
    why: 'No field that the set knows is there: the answer is undefined, which means no wait either.',
  },
};

/** The same headers in every shape that a client may use. */
const shapes: Readonly<Record<string, (headers: Case['headers']) => HeadersLike>> = {
  'a record': (headers) => headers,
  'a record without prototype': (headers) => Object.assign(Object.create(null), headers),
  'a record in Title-Case': (headers) => renamed(headers, titleCase),
  'a record in UPPER CASE': (headers) => renamed(headers, (name) => name.toUpperCase()),
  'lists of lines': (headers) => mapped(headers, (value) => [value].flat()),
  'a Map': (headers) => new Map(Object.entries(headers)),
};

function renamed(headers: Case['headers'], rename: (name: string) => string): Case['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [rename(name), value]));
}

function mapped(headers: Case['headers'], map: (value: string | string[]) => string[]): Case['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, map(value)]));
}

function titleCase(name: string): string {
  return name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

test('every difference names a case of the file', () => {
  expect(file.vectors).toHaveLength(195);
  const ids = file.vectors.map(({ id }) => id);
  for (const id of Object.keys(departures)) expect(ids).toContain(id);
});

describe.each(Object.entries(shapes))('hints.json with headers as %s', (_, shape) => {
  test.each(file.vectors)('$id $name', ({ id, profile, status, headers, body, now, expected }) => {
    const response = { status, headers: shape(headers), ...(body === undefined ? {} : { body }) };
    const hint = readHint(response, { hints: profile, date: Date.parse(now) });
    const departure = departures[id];
    expect(hint).toStrictEqual(departure === undefined ? expected : departure.hint);
  });
});

describe('the essentials, with dates in any form, read what needs nothing else as the full entries do', () => {
  const { sets, compile } = essentials.hints;
  const usual = file.vectors.filter(
    ({ profile, body, status }) =>
      (profile === 'standard' || profile === 'common') && body === undefined && !isRedirect(status),
  );
  const read = compile(['common'], sets);

  test.each(Object.entries(shapes))('%s', (_, shape) => {
    for (const vector of usual) expectSame(vector, shape(vector.headers));
  });

  test('a Headers', () => {
    // No other text can be in it.
    const inBytes = usual.filter(({ headers }) => /^[\0-\xff]*$/.test(JSON.stringify(headers)));
    expect(inBytes.length).toBeGreaterThan(100);
    for (const vector of inBytes) expectSame(vector, headersOf(vector.headers));
  });

  function expectSame({ id, profile, status, now, expected }: Case, headers: HeadersLike): void {
    const hint = compile([profile], { ...sets, [datesKey]: parseLenientDate })(
      status,
      headers,
      undefined,
      Date.parse(now),
    );
    const departure = departures[id];
    expect(hint, id).toStrictEqual(departure === undefined ? expected : departure.hint);
  }

  function headersOf(headers: Case['headers']): Headers {
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((line): [string, string] => [name, line]),
    );
    return new Headers(lines);
  }

  test('and so are the reasons that mean "rate limited"', () => {
    const whole = compileHints(['common'], allHintSets);
    for (const { expected } of file.vectors) {
      if (usual.some((other) => other.expected.reason === expected.reason))
        expect([expected.reason, read.throttles(expected.reason)]).toEqual([
          expected.reason,
          whole.throttles(expected.reason),
        ]);
    }
  });
});

test.each(file.vectors.filter(({ body }) => body !== undefined))(
  '$id reads the body as text too',
  ({ id, profile, status, headers, body, now, expected }) => {
    const text = typeof body === 'string' ? body : ` \r\n\t${JSON.stringify(body)}`;
    const hint = readHint({ status, headers, body: text }, { hints: profile, date: Date.parse(now) });
    const departure = departures[id];
    expect(hint).toStrictEqual(departure === undefined ? expected : departure.hint);
  },
);
