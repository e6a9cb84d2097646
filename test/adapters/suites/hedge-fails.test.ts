/** Both attempts of a hedged request fail, or a function of the caller's has a say in it: one decision follows. */

import { beforeEach, describe, expect, test } from 'vitest';
import type { PolicyOptions, ScheduleFunction } from '../../../src/index.js';
import { answer, type Play, silence } from '../../faults/lab.js';
import { reasons } from '../decisions.js';
import { bothOut, hedgeMs, onCue } from './hedged.js';
import { type Asked, theSubject } from './subject.js';

const subject = await theSubject();

beforeEach(({ skip }) => skip(subject.hedges !== true));

const [plain] = subject.ways;

/** Reads what only some clients know. */
function reasonsIn(target: unknown): string[] {
  return (reasons(target) ?? []).map((line) => line.slice(line.indexOf(' ') + 1));
}

/** A POST that is hedged, and is sent again after nothing. */
const once: PolicyOptions = { hedge: { afterMs: hedgeMs, methods: ['POST'] }, unsafeMethods: 'never' };
const write: Asked = { method: 'POST' };
const cut = (name: string): Play => ({ steps: [{ do: 'cue', name }, { do: 'rst' }] });

describe.each(subject.ways)('both fail: $name', (way) => {
  test('a response counts before an error, though it came first: the caller gets all of it', async () => {
    const plays = [onCue('first', answer(503, 'busy')), cut('hedge')] as const;
    const { lab, time, answered, told } = await bothOut(way, plays, once, write);
    lab.cue('first');
    await lab.until(({ bytesSent }) => bytesSent > 0);
    lab.cue('hedge');
    const { value } = await answered;
    expect(value).toMatchObject({ status: 503, text: 'busy' });
    expect(told.slice(1)).toEqual(['1 unsafe-method', 'settled 503 after 2, hedge lost']);
    expect(time.pending).toEqual([]);
  });

  test('a response counts before an error that came first', async () => {
    const plays = [cut('first'), onCue('hedge', answer(503, 'busy'))] as const;
    const { lab, time, answered, told } = await bothOut(way, plays, once, write);
    lab.cue('first');
    await time.until(({ pending }) => pending.length === 0);
    lab.cue('hedge');
    expect((await answered).value).toMatchObject({ status: 503, text: 'busy' });
    expect(told.slice(1)).toEqual(['2 unsafe-method', 'settled 503 after 2, hedge lost']);
  });

  test('a schedule that is a function reads the headers of the one that counts, though it came first', async () => {
    const busy = answer(503, 'busy', { 'x-backoff-ms': '9' });
    const plays = [onCue('first', busy), cut('hedge'), answer(200, 'done')] as const;
    const schedule: ScheduleFunction = (...[, , , finding]) => Number(finding?.header('x-backoff-ms'));
    const { lab, time, answered } = await bothOut(way, plays, { schedule });
    lab.cue('first');
    await lab.until(({ bytesSent }) => bytesSent > 0);
    lab.cue('hedge');
    await time.fire(9);
    expect((await answered).value).toMatchObject({ status: 200, text: 'done' });
  });

  test('two errors: the request fails with the last one', async () => {
    const { lab, answered, told, time } = await bothOut(way, [cut('first'), cut('hedge')], once, write);
    lab.cue('first');
    lab.cue('hedge');
    const { error } = await answered;
    // The error of an adapter of the caller's own reaches the caller as it is.
    if (way.name !== 'an adapter of the caller') subject.expectOwn(error, write);
    expect(reasonsIn(error)).toEqual(['other-pending', 'unsafe-method']);
    expect(told).toHaveLength(3);
    expect(time.pending).toEqual([]);
  });

  test('an error does not win while the other is out', async () => {
    const { lab, answered, told } = await bothOut(way, [onCue('first', answer(200, 'first')), cut('hedge')]);
    lab.cue('hedge');
    await lab.until(({ openSockets }) => openSockets === 1);
    lab.cue('first');
    expect((await answered).value?.text).toBe('first');
    expect(told).toEqual([`hedge 2 after ${hedgeMs}`, '1 success', 'settled 200 after 2, hedge lost']);
  });
});

describe.each(subject.ways)('hooks: $name', (way) => {
  test('retryIf is asked about each ending, and may take its time while the other goes on', async () => {
    const asked: number[] = [];
    let goOn = (): void => undefined;
    const thinks = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { lab, answered, told, time } = await bothOut(
      way,
      [onCue('first', answer(503, 'busy')), onCue('hedge', answer(200, 'hedge'))],
      {
        retryIf: (outcome) => {
          if (outcome.kind === 'response') asked.push(outcome.status);
          return outcome.kind === 'response' && outcome.status === 503
            ? thinks.then(() => undefined)
            : undefined;
        },
      },
    );
    lab.cue('first');
    await expect.poll(() => asked, { interval: 1 }).toEqual([503]);
    lab.cue('hedge');
    expect((await answered).value?.text).toBe('hedge');
    goOn();
    await thinks;
    expect(asked).toEqual([503, 200]);
    expect(told.slice(1)).toEqual(['2 success', 'settled 200 after 2, hedge won']);
    await time.until(({ pending }) => pending.length === 0);
  });

  test('retryIf that throws about one ends both', async () => {
    const broken = new Error('broken');
    const { lab, answered, told, time } = await bothOut(way, [silence(), onCue('hedge', answer(503))], {
      retryIf: () => {
        throw broken;
      },
    });
    lab.cue('hedge');
    expect((await answered).error).toBe(broken);
    expect(told.filter((line) => line.startsWith('settled'))).toHaveLength(1);
    // The answer that was judged is drained, and its connection may be kept.
    await time.until(({ pending }) => pending.length === 0);
    await lab.until(({ connections, openSockets }) => connections - openSockets >= 1);
  });
});

test('a hint that comes while the other attempt is out reaches the hold at once', async () => {
  const { lab, retrier, answered, time } = await bothOut(
    plain,
    [onCue('first', answer(200, 'first')), onCue('hedge', answer(429, '', { 'retry-after': '5' }))],
    { hold: { refusedShare: 0 } },
  );
  lab.cue('hedge');
  await expect.poll(() => retrier.snapshot().scopes[0]?.holds, { interval: 1 }).toEqual([{ forMs: 5_000 }]);
  lab.cue('first');
  expect((await answered).value?.text).toBe('first');
  await time.until(({ pending }) => pending.length === 0);
});

test('both fail with hints: the longer one counts', async () => {
  const { lab, answered, time } = await bothOut(plain, [
    onCue('first', answer(503, '', { 'retry-after': '9' })),
    onCue('hedge', answer(503, '', { 'retry-after': '4' })),
    answer(200, 'retried'),
  ]);
  lab.cue('first');
  lab.cue('hedge');
  await time.fire(9_000);
  expect((await answered).value?.text).toBe('retried');
  expect(time.pending).toEqual([]);
});
