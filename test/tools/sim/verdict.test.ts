import { describe, expect, test } from 'vitest';
import type { PlayedRun, PlayedScenario } from '../../../src/tools/sim/verdict/figures.js';
import { figuresOf, outageOf } from '../../../src/tools/sim/verdict/figures.js';
import { verdictOn } from '../../../src/tools/sim/verdict/verdict.js';
import type { Crowds, Fault } from '../../../src/tools/sim/world.js';

// ---------------------------------------------------------------- runs that are made up

const seconds = 60;
const crash: Fault = { kind: 'crash', fromMs: 20_000, forMs: 10_000 };

function scenarioOf(clients: Crowds, ...faults: readonly Fault[]): PlayedScenario {
  return { world: { durationMs: seconds * 1_000, services: [{ faults }] }, clients };
}

const streaming: Crowds = { kind: 'open', count: 1, perSecond: 100 };
const thinking: Crowds = { kind: 'closed', count: 1, thinkMs: 1_000 };
const outage = scenarioOf(thinking, crash);

/** By the second: before the outage, in it, and after it. */
type Course = readonly [before: number, during: number, after: number];

interface Made {
  readonly good: Course;
  readonly sent?: Course;
  readonly retries?: Course;
  readonly totals?: Partial<PlayedRun['totals']>;
  readonly innocent?: Partial<PlayedRun['totals']>;
}

function series([before, during, after]: Course): number[] {
  return Array.from({ length: seconds }, (_, second) =>
    second < 20 ? before : second < 30 ? during : after,
  );
}

function made({ good, sent = [100, 100, 100], retries = [0, 0, 0], totals, innocent }: Made): PlayedRun {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const offered = 6_000;
  const succeeded = sum(series(good));
  const own = {
    offered,
    good: succeeded,
    failed: offered - succeeded,
    refused: 0,
    aborted: 0,
    forbidden: 0,
    goodput: succeeded / seconds,
    ...totals,
  } as PlayedRun['totals'];
  return {
    totals: own,
    innocent: { ...own, ...innocent },
    series: { good: series(good), sent: series(sent), retries: series(retries) },
    services: [{ arrived: series(sent) }],
  };
}

function judged(scenario: PlayedScenario, runs: Readonly<Record<string, Made>>) {
  const entries = Object.entries(runs).map(([name, run]) => ({ name, run: made(run) }));
  return verdictOn({ scenario, entries });
}

// ---------------------------------------------------------------- what is asked of a verdict

describe('the outage', () => {
  const rates = (...perSecond: readonly number[]): Crowds => ({
    kind: 'open',
    count: 1,
    perSecond: perSecond.map((rate, index) => ({ fromMs: index * 20_000, perSecond: rate })),
  });

  test.each<[string, PlayedScenario, string]>([
    [
      'is from the first fault to the end of the last',
      scenarioOf(streaming, { ...crash, fromMs: 5_000 }, crash),
      'outage from 5 to 30',
    ],
    ['may be a surge', scenarioOf(rates(40, 80, 40)), 'surge from 20 to 40'],
    ['does not exist without a fault', scenarioOf(streaming), 'none'],
    ['does not exist for a momentary fault', scenarioOf(streaming, { ...crash, forMs: 1 }), 'none'],
    ['does not exist if nothing comes before it', scenarioOf(streaming, { ...crash, fromMs: 0 }), 'none'],
    ['does not exist if nothing comes after it', scenarioOf(streaming, { ...crash, forMs: 40_000 }), 'none'],
    ['does not exist if more requests stay', scenarioOf(rates(40, 80, 80)), 'none'],
    ['does not exist if requests end', scenarioOf(rates(40, 0)), 'none'],
  ])('%s', (_, scenario, expected) => {
    const found = outageOf(scenario);
    const text = found && `${found.name} from ${found.fromMs / 1_000} to ${found.untilMs / 1_000}`;
    expect(text ?? 'none').toBe(expected);
  });
});

describe('the figures', () => {
  test('are rates of each part of the run', () => {
    const run = made({ good: [90, 10, 80], sent: [100, 40, 120], retries: [0, 0, 30] });
    const { good, load, recoveredAfterMs, retryShareAtEnd } = figuresOf(outage, run);
    expect(good).toEqual({
      before: 90,
      during: 10,
      after: 80,
      atEnd: 80,
      overall: 4_300 / 60,
    });
    expect(load).toMatchObject({ before: 100, during: 40, after: 120, atEnd: 120 });
    expect(recoveredAfterMs).toBeUndefined();
    expect(retryShareAtEnd).toBe(0.25);
  });

  test('know how long the recovery took: to ten seconds of nine tenths', () => {
    const run = made({ good: [100, 0, 100] });
    const good = Array.from(run.series.good, (value, second) => (second < 37 && second >= 30 ? 0 : value));
    expect(figuresOf(outage, run).recoveredAfterMs).toBe(0);
    // One of ten seconds may still be missing.
    expect(figuresOf(outage, { ...run, series: { ...run.series, good } }).recoveredAfterMs).toBe(6_000);
  });

  test('are about the innocent where others are guilty', () => {
    const run = made({ good: [50, 50, 50], innocent: { offered: 100, good: 99, failed: 1, goodput: 1.65 } });
    expect(figuresOf(scenarioOf(streaming), run)).toMatchObject({
      offered: 100,
      succeeded: 99,
      lost: 1,
      good: { overall: 1.65 },
    });
  });

  test('look at the service that fails, where several are in a row', () => {
    const run = made({ good: [1, 1, 1] });
    const services = [
      { arrived: series([1, 1, 1]) },
      { arrived: series([64, 64, 64]) },
      { arrived: series([9, 9, 9]) },
    ];
    const row = { ...outage, world: { ...outage.world, services: [{}, { faults: [crash] }, {}] } };
    expect(figuresOf(row, { ...run, services }).load.during).toBe(64);
  });
});

describe('after an outage, the verdict', () => {
  const alive: Made = { good: [100, 0, 100] };
  const dead: Made = { good: [100, 0, 0], sent: [100, 150, 200], retries: [0, 100, 150] };
  const slow: Made = { good: [100, 0, 60] };
  const light: Made = { good: [100, 0, 100], sent: [100, 9.1, 100], totals: { refused: 814 } };
  const heavy: Made = { good: [100, 0, 100], sent: [100, 4_600, 100] };

  test('tells the policies with which the server dies from those with which it does not', () => {
    const { headline, policies } = judged(outage, { none: alive, got: dead, slow, service: light });
    expect(headline).toBe(
      'the server never recovers with got; it is not back to normal by the end with slow; ' +
        'it recovers with no retry and service',
    );
    expect(policies.map(({ label, judgement, sentence }) => `${label} (${judgement}): ${sentence}`)).toEqual([
      'no retry (good): the server is back to normal at once; during the outage it gets 100 attempts a second',
      'got (bad): the server does not recover: 30 s after the outage, it still gets 200 attempts a second ' +
        '(75 % of them retries), and 0 requests a second succeed (before: 100)',
      'slow (even): the server is not back to normal 30 s after the outage: it still gets 100 attempts a second, ' +
        'and 60 requests a second succeed (before: 100)',
      'service (good): the server is back to normal at once; during the outage it gets 9.1 attempts a second ' +
        '(no retry: 100), because 814 requests were refused without being sent',
    ]);
  });

  test.each<[string, Readonly<Record<string, Made>>, string]>([
    ['one that lives', { got: alive }, 'the server recovers with got'],
    ['one that dies', { got: dead }, 'the server does not recover with got'],
    ['all that die', { none: dead, got: dead }, 'the server does not recover with any policy'],
    [
      'all that are slow',
      { none: slow, got: slow },
      'the server is not back to normal by the end with any policy',
    ],
    ['all that live', { none: alive, got: alive }, 'the server recovers with every policy'],
    [
      'all that live, under another load',
      { none: alive, axios: heavy, service: light },
      'the server recovers with every policy; during the outage, service sends the least (9.1 attempts a second), axios the most (4,600)',
    ],
  ])('sums up %s', (_, runs, headline) => {
    expect(judged(outage, runs).headline).toBe(headline);
  });

  test('names refusals as the reason only for a load that is lower', () => {
    const busy: Made = { good: [100, 0, 100], sent: [100, 120, 100], totals: { refused: 1 } };
    const sentence = (runs: Readonly<Record<string, Made>>) => judged(outage, runs).policies.at(-1)?.sentence;
    expect(sentence({ service: light })).toMatch(
      / 9\.1 attempts a second, because 814 requests were refused/,
    );
    expect(sentence({ service: busy })).toMatch(
      / 120 attempts a second; 1 request was refused without being sent$/,
    );
    expect(sentence({ none: alive, service: busy })).toMatch(/\(no retry: 100\); 1 request was refused/);
  });

  test('praises no policy that more than doubles the load', () => {
    const { policies } = judged(outage, { none: alive, axios: heavy });
    expect(policies.map(({ judgement }) => judgement)).toEqual(['good', 'even']);
  });
});

describe('where every policy has the same requests, the verdict', () => {
  const calm = scenarioOf(streaming);
  const losing = (lost: number, sent = 100): Made => ({
    good: [100, 100, 100],
    sent: [sent, sent, sent],
    totals: { good: 6_000 - lost, failed: lost },
  });

  test('counts what each loses', () => {
    const { headline, policies } = judged(calm, {
      none: losing(600),
      default: losing(2, 110),
      got: losing(3, 130),
      mine: losing(700),
    });
    expect(headline).toBe('default and got lose the fewest requests, 2 to 3 of 6,000 (no retry: 600)');
    expect(policies.map(({ judgement, sentence }) => `${judgement}: ${sentence}`)).toEqual([
      'even: loses 600 of 6,000 requests, at 100 attempts a second',
      'good: loses 2 of 6,000 requests (no retry: 600), at 110 attempts a second (no retry: 100)',
      'good: loses 3 of 6,000 requests (no retry: 600), at 130 attempts a second (no retry: 100)',
      'bad: worse than no retry: loses 700 of 6,000 requests (no retry: 600), at 100 attempts a second (no retry: 100)',
    ]);
  });

  test('sees more than losses: a request that is never over has not succeeded', () => {
    const pending: Made = { ...losing(0), totals: { good: 5_000, failed: 0 } };
    const { policies } = judged(calm, { none: losing(600), pending });
    expect(policies[1]?.judgement).toBe('bad');
  });

  test.each<[string, Readonly<Record<string, Made>>, string]>([
    ['one', { got: losing(1) }, 'got loses 1 of 6,000 requests'],
    [
      'equals',
      { none: losing(0), got: losing(0) },
      'the policy makes no difference; each loses 0 of 6,000 requests',
    ],
    [
      'equals under another load',
      { none: losing(0), got: losing(0, 370) },
      'each policy loses 0 of 6,000 requests; no retry sends the least (100 attempts a second), got the most (370)',
    ],
    [
      'no retry, where it is the best',
      { none: losing(1), got: losing(50) },
      'no retry loses the fewest requests, 1 of 6,000',
    ],
  ])('sums up %s', (_, runs, headline) => {
    expect(judged(calm, runs).headline).toBe(headline);
  });

  test('names the innocent where some are guilty', () => {
    const routes = [
      { path: '/', weight: 1 },
      { path: '/odd', weight: 1, guilty: true },
    ] as const;
    const some = scenarioOf({ ...streaming, routes });
    expect(judged(some, { got: losing(1) }).headline).toBe('got loses 1 of 6,000 innocent requests');
  });
});

describe('where no request is lost, but some are slow, the verdict', () => {
  const calm = scenarioOf(streaming);
  const taking = (p50Ms: number, p99Ms: number, p999Ms: number, sent = 100): Made => ({
    good: [100, 100, 100],
    sent: [sent, sent, sent],
    totals: { p50Ms, p99Ms, p999Ms },
  });
  const slow = taking(20, 110, 2_000);

  test('compares how long the slowest take', () => {
    const { headline, policies } = judged(calm, {
      none: slow,
      service: taking(20, 112, 1_990),
      hedged: taking(20, 82, 108, 101.3),
      mine: taking(20, 300, 4_000, 102),
    });
    expect(headline).toBe('99.9 % of the requests succeed within 108 ms with hedged (no retry: 2 s)');
    expect(policies.map(({ judgement, sentence }) => `${judgement}: ${sentence}`)).toEqual([
      'even: half within 20 ms, 99 % within 110 ms, 99.9 % within 2 s, at 100.0 attempts a second',
      'even: half within 20 ms, 99 % within 112 ms, 99.9 % within 1.99 s (no retry: 2 s), at 100.0 attempts a second (no retry: 100.0)',
      'good: half within 20 ms, 99 % within 82 ms, 99.9 % within 108 ms (no retry: 2 s), at 101.3 attempts a second (no retry: 100.0)',
      'bad: worse than no retry: half within 20 ms, 99 % within 300 ms, 99.9 % within 4 s (no retry: 2 s), at 102.0 attempts a second (no retry: 100.0)',
    ]);
  });

  test('looks at 99 % where 99.9 % are the same', () => {
    const { headline } = judged(calm, { none: taking(20, 1_300, 2_000), hedged: taking(20, 400, 1_950) });
    expect(headline).toBe('99 % of the requests succeed within 400 ms with hedged (no retry: 1.3 s)');
  });

  test.each<[string, Readonly<Record<string, Made>>, string]>([
    ['one', { got: slow }, '99.9 % of the requests succeed within 2 s with got'],
    [
      'equals',
      { none: slow, got: slow },
      'the policy makes no difference; 99.9 % of the requests succeed within 2 s with each',
    ],
    [
      'several that are as good',
      { none: taking(20, 90, 100), got: taking(20, 90, 105), mine: slow },
      '99.9 % of the requests succeed within 100 ms with no retry and got',
    ],
  ])('sums up %s', (_, runs, headline) => {
    expect(judged(calm, runs).headline).toBe(headline);
  });

  test('counts losses where there are some, or where no request is slow', () => {
    const lossy = { ...slow, totals: { ...slow.totals, failed: 60 } };
    expect(judged(calm, { none: slow, got: lossy }).headline).toContain('lose');
    expect(judged(calm, { none: taking(20, 90, 199) }).headline).toContain('loses');
  });
});

describe('where clients think between their requests, the verdict', () => {
  const limited = scenarioOf(thinking);
  const doing = (rate: number, forbidden = 0, sent = 100): Made => ({
    good: [rate, rate, rate],
    sent: [sent, sent, sent],
    // More requests, since refusals are quick: a share of them would be lower.
    totals: { offered: 10_000 - 100 * rate, forbidden },
  });

  test('compares what gets done', () => {
    const { headline, policies } = judged(limited, {
      none: doing(40, 900),
      default: doing(50, 12),
      mine: doing(30),
    });
    expect(headline).toBe('default gets the most done, 50 good requests a second (no retry: 40)');
    expect(policies.map(({ judgement, sentence }) => `${judgement}: ${sentence}`)).toEqual([
      'even: 40 good requests a second, at 100 attempts a second, 900 of them while told to wait',
      'good: 50 good requests a second (no retry: 40), at 100 attempts a second (no retry: 100), 12 of them while told to wait',
      'bad: worse than no retry: 30 good requests a second (no retry: 40), at 100 attempts a second (no retry: 100), 0 of them while told to wait',
    ]);
  });

  test.each<[string, Readonly<Record<string, Made>>, string]>([
    ['one', { got: doing(50) }, 'got gets 50 good requests a second'],
    [
      'equals',
      { none: doing(50), got: doing(50) },
      'the policy makes no difference; 50 good requests a second with each',
    ],
    [
      'equals under another load',
      { none: doing(50), got: doing(50, 0, 250) },
      'each policy gets 50 good requests a second; no retry sends the least (100 attempts a second), got the most (250)',
    ],
    [
      'what is as good as no retry',
      { none: doing(50), got: doing(50), mine: doing(9) },
      'no retry and got get the most done, 50 good requests a second',
    ],
  ])('sums up %s', (_, runs, headline) => {
    expect(judged(limited, runs).headline).toBe(headline);
  });
});
