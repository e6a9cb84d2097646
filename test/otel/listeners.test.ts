/** Listeners cost nothing where there are none, and break nothing. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { DiagLogLevel, diag, type MeterProvider, metrics } from '@opentelemetry/api';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { PolicyOptions } from '../../src/core/policy/options.js';
import type { RequestFacts } from '../../src/core/types.js';
import { createRetrier } from '../../src/index.js';
import { instrument } from '../../src/otel/index.js';
import { answered, requestOf } from '../kit.js';
import { loadWithoutNode } from './elsewhere.js';

function listen(listener: (message: unknown) => void): void {
  subscribe('undaunted:decision', listener);
  onTestFinished(() => void unsubscribe('undaunted:decision', listener));
}

/** How often the request's URL is built after its session is opened, for one retry and a success. */
function urlsMade(policy: PolicyOptions): number {
  let reads = 0;
  const request: RequestFacts = {
    ...requestOf(),
    get path() {
      reads += 1;
      return '/';
    },
  };
  const retrier = createRetrier(policy);
  const [failing, succeeding] = [retrier.open(request), retrier.open(request)];
  reads = 0;
  failing.next(answered(503), { replayable: true });
  failing.next(answered(200), { replayable: true });
  succeeding.acceptAtOnce(200);
  return reads;
}

describe('nothing is built', () => {
  test('without a listener', () => {
    expect(urlsMade({})).toBe(0);
  });

  test('twice, with two listeners', () => {
    const seen: unknown[] = [];
    const observed: unknown[] = [];
    listen((message) => void seen.push(message));
    // Two decisions, one of which ends its request, and an end without a decision.
    expect(urlsMade({ observe: (event) => void observed.push(event) })).toBe(3);
    expect(observed).toHaveLength(4);
    expect(seen).toEqual(observed);
    expect(seen.every((event, index) => event === observed[index])).toBe(true);
  });
});

describe('one that throws', () => {
  test('in observe keeps nothing from the channel', async () => {
    const seen: unknown[] = [];
    listen((message) => void seen.push(message));
    const warned = once(process, 'warning');
    const retrier = createRetrier({
      observe: () => {
        throw new Error('broken observer');
      },
    });
    expect(retrier.open(requestOf()).next(answered(404), { replayable: true }).reason).toBe('final-status');
    expect(seen).toHaveLength(2);
    const [warning] = (await warned) as [Error];
    expect(warning.message).toMatch(/^undaunted: observe threw/);
  });

  test('as a subscriber does not reach the request, nor other subscribers', async () => {
    const broken = new Error('broken subscriber');
    const seen: unknown[] = [];
    const thrown = nextUncaught();
    listen(() => {
      throw broken;
    });
    listen((message) => void seen.push(message));
    expect(createRetrier().open(requestOf()).acceptAtOnce(200)).toBe(true);
    expect(seen).toHaveLength(1);
    expect(await thrown).toBe(broken);
  });

  test('in an instrument goes to the diagnostics of OpenTelemetry, and nowhere else', () => {
    const broken = new Error('broken counter');
    const meter = metrics.getMeter('none');
    vi.spyOn(meter, 'createCounter').mockReturnValue({
      add() {
        throw broken;
      },
    });
    const meterProvider: MeterProvider = { getMeter: () => meter };
    const error = vi.fn();
    diag.setLogger({ error, warn: error, info: error, debug: error, verbose: error }, DiagLogLevel.ERROR);
    onTestFinished(() => diag.disable());
    onTestFinished(instrument({ meterProvider }));
    expect(createRetrier().open(requestOf()).acceptAtOnce(200)).toBe(true);
    expect(error).toHaveBeenCalledWith(expect.stringMatching(/^undaunted: /), broken);
  });
});

test('without channels, as in a browser, observe is still called', async () => {
  const { createRetrier: create } = await loadWithoutNode();
  const seen: unknown[] = [];
  const observed: string[] = [];
  listen((message) => void seen.push(message));
  const retrier = create({ observe: ({ type }) => void observed.push(type) });
  retrier.open(requestOf()).next(answered(503), { replayable: true });
  expect(observed).toEqual(['decision']);
  expect(seen).toEqual([]);
});

/** The next uncaught exception. Without a listener, it would end the process; the test runner would report it. */
async function nextUncaught(): Promise<unknown> {
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const caught = once(process, 'uncaughtException');
  try {
    return (await caught)[0];
  } finally {
    for (const listener of others) process.on('uncaughtException', listener);
  }
}
