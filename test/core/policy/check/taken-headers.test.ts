import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { overrideSchema, policySchema } from '../../../../src/core/policy/check/schema.js';
import { checkOverride, checkPolicy, parsePolicy } from '../../../../src/parts/all.js';

/** Fetch 2.2.2: names that no script may set, and those whose value may change the method. */
const forbidden = [
  ...['accept-charset', 'accept-encoding', 'access-control-request-headers', 'access-control-request-method'],
  ...['access-control-request-private-network', 'connection', 'content-length', 'cookie', 'cookie2', 'date'],
  ...['dnt', 'expect', 'host', 'keep-alive', 'origin', 'referer', 'set-cookie', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'via', 'proxy-authorization', 'proxy-connection', 'sec-fetch-mode'],
  ...['x-http-method', 'x-http-method-override', 'x-method-override'],
];

const others = [
  ...['content-type', 'content-encoding', 'content-range', 'range', 'if-match', 'if-none-match', 'if-range'],
  ...['authorization', 'user-agent', 'accept', 'http2-settings', 'forwarded', 'x-forwarded-for', 'x-real-ip'],
  ...['x-api-key', 'api-key', 'x-auth-token', 'x-csrf-token', 'x-original-url', 'traceparent', 'baggage'],
];

const accepts = new Ajv2020({ strict: true });
const acceptsPolicy = accepts.compile(policySchema());
const acceptsOverride = accepts.compile(overrideSchema());

/** The name with some of its letters in upper case. */
function inAnyCase(name: string): fc.Arbitrary<string> {
  const flags = fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length });
  return flags.map((upper) =>
    [...name].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter)).join(''),
  );
}

describe.each([...forbidden, ...others])('%s', (name) => {
  test('is no header for our numbers and keys, in any case and at any level', () => {
    fc.assert(
      fc.property(inAnyCase(name), (written) => {
        const settings = { attemptHeader: written, idempotencyKey: { header: written } };
        const places = ['attemptHeader', 'idempotencyKey.header'];
        expect(checkOverride(settings).map(({ path }) => path)).toEqual(places);
        expect(acceptsOverride(settings)).toBe(false);
        const policy = { ...settings, rules: [{ match: '/x', ...settings }] };
        const found = checkPolicy(policy);
        expect(found.map(({ path }) => path)).toEqual([...places, ...places.map((one) => `rules[0].${one}`)]);
        expect(new Set(found.map(({ advice }) => advice))).toEqual(
          new Set(['That one already says how a request is framed, where it goes or whom it is from.']),
        );
        expect(acceptsPolicy(policy)).toBe(false);
        for (const [key, value] of Object.entries(settings)) {
          expect(() => parsePolicy({ [key]: value })).toThrow('has 1 problem');
          expect(acceptsPolicy({ [key]: value })).toBe(false);
        }
      }),
      { numRuns: 20 },
    );
  });
});

test.each([
  ...[
    'idempotency-key',
    'x-idempotency-key',
    'idempotency-token',
    'x-request-id',
    'request-id',
    'retry-attempt',
  ],
  ...['x-retry', 'x-content', 'ranges', 'hostname', 'x-cookie', 'client-token', 'paypal-request-id'],
])('%s is one', (name) => {
  expect(checkPolicy({ attemptHeader: name })).toEqual([]);
  expect(checkOverride({ idempotencyKey: { header: name } })).toEqual([]);
});

test('a value that cannot be made a string is a problem like any other', () => {
  const odd = [Object.create(null), { toString: 1, valueOf: 1 }, [Symbol('x')]];
  for (const value of odd) {
    const problems = checkOverride({ attemptHeader: value, idempotencyKey: { header: value } });
    expect(problems.map(({ path }) => path)).toEqual(['attemptHeader', 'idempotencyKey.header']);
  }
});
