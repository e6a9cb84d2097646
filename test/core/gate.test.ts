import { describe, expect, test } from 'vitest';
import type { Sign } from '../../src/core/gate.js';
import { afterSign, isShut, openGate, passGate, signOf, signOfStatus } from '../../src/core/gate.js';
import type { Gate, GateState } from '../../src/core/types.js';
import { serverError } from '../kit.js';

const gate: Gate = { failures: 3, probeMs: 1_000, rampMs: 2_000, whenShut: 'fail', maxWaiting: 10 };
const middle = 0.5;

function open(failures: number): GateState {
  return { kind: 'open', epoch: 4, failures };
}
const shut: GateState = { kind: 'shut', epoch: 5, probeAt: 1_000, probingSince: undefined };
const probing: GateState = { kind: 'shut', epoch: 5, probeAt: 1_000, probingSince: 1_000 };
const ramping: GateState = { kind: 'ramping', epoch: 6, since: 100, limit: 4, inFlight: 3 };

describe('what an outcome says of the health of the server', () => {
  test.each<[number, Sign]>([
    [200, 'alive'],
    [304, 'alive'],
    [404, 'alive'],
    [407, 'alive'],
    [408, 'neutral'],
    [409, 'alive'],
    [424, 'alive'],
    [425, 'neutral'],
    [426, 'alive'],
    [428, 'alive'],
    [429, 'neutral'],
    [430, 'alive'],
    [499, 'alive'],
    [500, 'dead'],
    [501, 'dead'],
    [599, 'dead'],
  ])('%i: %s', (status, sign) => {
    expect(signOfStatus(status)).toBe(sign);
    expect(signOf({ ...serverError, kind: 'response', status } as never)).toBe(sign);
  });

  test('errors', () => {
    const error = { kind: 'error', name: 'Error', code: 'X', evidence: 'unknown' } as const;
    expect(signOf({ ...error, class: 'transient', aborted: false })).toBe('dead');
    expect(signOf({ ...error, class: 'throttled', aborted: false })).toBe('dead');
    expect(signOf({ ...error, class: 'final', aborted: false })).toBe('neutral');
    expect(signOf({ ...error, class: 'transient', aborted: true })).toBe('neutral');
  });
});

describe('open', () => {
  test('the healthy path changes nothing', () => {
    expect(afterSign(gate, openGate, 0, 'alive', 0, middle)).toBe(openGate);
    expect(afterSign(gate, openGate, 0, 'neutral', 0, middle)).toBe(openGate);
    expect(passGate(gate, openGate, 0, middle)).toEqual({ kind: 'go', state: openGate });
    expect(isShut(gate, openGate, 0)).toBe(false);
  });

  test('counts failures in a row; a sign of life forgives them, a neutral one does not', () => {
    expect(afterSign(gate, open(1), 4, 'dead', 0, middle)).toEqual(open(2));
    expect(afterSign(gate, open(2), 4, 'alive', 0, middle)).toEqual(open(0));
    expect(afterSign(gate, open(2), 4, 'neutral', 0, middle)).toEqual(open(2));
  });

  test.each([
    [0, 125],
    [0.5, 250],
    [0.999, 374.75],
  ])('shuts at the last one, and the first probe comes soon (draw %d)', (draw, soon) => {
    const after = afterSign(gate, open(2), 4, 'dead', 100, draw);
    expect(after).toEqual({ kind: 'shut', epoch: 5, probeAt: 100 + soon, probingSince: undefined });
  });
});

describe('shut', () => {
  test('lets one probe through when its time has come, and turns all others away', () => {
    expect(passGate(gate, shut, 999, middle)).toEqual({ kind: 'shut', retryInMs: 1 + 250 });
    expect(passGate(gate, shut, 1_000, middle)).toEqual({ kind: 'go', state: probing });
    expect(passGate(gate, probing, 1_001, middle)).toEqual({ kind: 'shut', retryInMs: 250 });
    expect(isShut(gate, shut, 999)).toBe(true);
    expect(isShut(gate, shut, 1_000)).toBe(false);
    expect(isShut(gate, probing, 1_001)).toBe(true);
  });

  test('a probe that hangs does not keep it shut for ever', () => {
    expect(passGate(gate, probing, 5_999, middle).kind).toBe('shut');
    expect(passGate(gate, probing, 6_000, middle)).toEqual({
      kind: 'go',
      state: { ...probing, probingSince: 6_000 },
    });
    expect(isShut(gate, probing, 5_999)).toBe(true);
    expect(isShut(gate, probing, 6_000)).toBe(false);
  });

  test.each([
    [0, 500],
    [0.5, 1_000],
  ])('the next probe comes after the interval, with jitter (draw %d)', (draw, after) => {
    expect(afterSign(gate, probing, 5, 'dead', 1_200, draw)).toEqual({ ...shut, probeAt: 1_200 + after });
  });

  test('a probe that was given up leaves its place to the next at once', () => {
    expect(afterSign(gate, probing, 5, 'neutral', 1_200, middle)).toEqual({ ...shut, probeAt: 1_200 });
  });

  test('late news of the outage changes nothing', () => {
    expect(afterSign(gate, probing, 4, 'dead', 1_200, middle)).toBe(probing);
    expect(afterSign(gate, probing, 4, 'neutral', 1_200, middle)).toBe(probing);
    expect(afterSign(gate, shut, 5, 'dead', 1_200, middle)).toBe(shut);
  });

  test.each([4, 5])('any sign of life reopens it, gradually (epoch %i)', (epoch) => {
    expect(afterSign(gate, probing, epoch, 'alive', 1_200, middle)).toEqual({
      kind: 'ramping',
      epoch: 6,
      since: 1_200,
      limit: 2,
      inFlight: 0,
    });
  });
});

describe('ramping', () => {
  test('lets in as many as the limit says', () => {
    expect(passGate(gate, ramping, 10, middle)).toEqual({ kind: 'go', state: { ...ramping, inFlight: 4 } });
    expect(passGate(gate, { ...ramping, inFlight: 4 } as GateState, 10, middle)).toEqual({
      kind: 'shut',
      retryInMs: 100,
    });
    expect(isShut(gate, ramping, 10)).toBe(false);
  });

  test('each success lets in one more, each failure halves', () => {
    expect(afterSign(gate, ramping, 6, 'alive', 10, middle)).toEqual({ ...ramping, inFlight: 2, limit: 5 });
    expect(afterSign(gate, ramping, 6, 'dead', 10, middle)).toEqual({ ...ramping, inFlight: 2, limit: 2 });
    expect(afterSign(gate, ramping, 6, 'neutral', 10, middle)).toEqual({ ...ramping, inFlight: 2 });
  });

  test('shuts again when even one at a time fails', () => {
    const least: GateState = { ...ramping, limit: 1, inFlight: 1 };
    expect(afterSign(gate, least, 6, 'dead', 10, middle)).toEqual({
      kind: 'shut',
      epoch: 7,
      probeAt: 1_010,
      probingSince: undefined,
    });
  });

  test('is open after its time, at the next success', () => {
    expect(afterSign(gate, ramping, 6, 'alive', 2_099, middle).kind).toBe('ramping');
    expect(afterSign(gate, ramping, 6, 'alive', 2_100, middle)).toEqual({
      kind: 'open',
      epoch: 6,
      failures: 0,
    });
    expect(afterSign(gate, ramping, 6, 'dead', 2_100, middle).kind).toBe('ramping');
  });

  test('attempts from before do not count, and no count falls below nothing', () => {
    expect(afterSign(gate, ramping, 4, 'dead', 10, middle)).toBe(ramping);
    expect(afterSign(gate, ramping, 4, 'alive', 10, middle)).toBe(ramping);
    const none: GateState = { ...ramping, inFlight: 0 };
    expect(afterSign(gate, none, 6, 'neutral', 10, middle)).toEqual(none);
  });
});
