/** What the caller's handler sees of a hedged request: one request, with one answer. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import {
  answer,
  answerChunked,
  informational,
  type LabScript,
  type Play,
  silence,
} from '../../faults/lab.js';
import { openLab } from '../kit.js';
import { hedgeMs, onCue, retryMs, warmedUp } from '../suites/hedged.js';
import { major, undici } from './client.js';
import {
  type Generation,
  isEarly7,
  type Reactions,
  type Recorder,
  recorder,
  terminalCalls,
} from './generations.js';
import { openAgent } from './kit.js';

const generation: Generation = major === 8 ? 2 : 1;

async function hedged(
  script: LabScript,
  {
    asked = {},
    reactions = {},
    policy = {},
  }: {
    readonly asked?: Partial<Dispatcher.DispatchOptions>;
    readonly reactions?: Reactions;
    readonly policy?: PolicyOptions;
  } = {},
) {
  const lab = await openLab(script);
  const warmed = warmedUp(policy);
  const heard = recorder(generation, reactions);
  const options = { origin: lab.origin, path: '/', method: 'GET', ...asked } as Dispatcher.DispatchOptions;
  // A connection that no request needs is not kept for long: some tests wait until all are closed.
  const agent = openAgent({ keepAliveTimeout: 10 });
  agent.compose(retry(warmed.retrier)).dispatch(options, heard);
  return { ...warmed, lab, heard };
}

/** Both attempts have reached the server. */
async function bothOut(...given: Parameters<typeof hedged>) {
  const stage = await hedged(...given);
  await stage.lab.until(({ requests }) => requests.length === 1);
  await stage.time.fire(hedgeMs);
  await stage.lab.until(({ requests }) => requests.length === 2);
  return stage;
}

/** These callbacks, as far as the undici under test passes them through `compose`: 7 tells nothing of what was sent. */
function expectCalls({ calls }: Recorder, expected: readonly string[]): void {
  const isTold = (call: string): boolean => major !== 7 || !call.endsWith(' sent');
  expect(calls.filter((call) => call !== 'response started')).toEqual(expected.filter(isTold));
}

test('the hedge wins: one start, one head, one body, one end', async () => {
  const plays = [silence(), answerChunked(['he', 'dge'], { 'x-end': 'whole' })];
  const { heard } = await bothOut(plays);
  await heard.settled;
  expectCalls(heard, ['start', 'request sent', 'head 200', 'data', 'end']);
  expect(heard.body.toString()).toBe('hedge');
  expect(heard.rawHeaders[0]).toContain('transfer-encoding');
  expect(heard.rawTrailers).toEqual(['x-end', 'whole']);
});

test('a body is reported as sent once', async () => {
  const { heard, lab } = await bothOut([silence(), answer(200, 'hedge')], {
    asked: { method: 'QUERY', body: 'a question' } as object,
  });
  await heard.settled;
  expectCalls(heard, ['start', 'body sent', 'request sent', 'head 200', 'data', 'end']);
  expect(lab.requests.map(({ body }) => String(body))).toEqual(['a question', 'a question']);
});

test.each(['the first', 'the hedge'])(
  '%s wins: the caller has the interim responses of the first alone',
  async (winner) => {
    const early = (name: string): Play =>
      informational(103, { link: `</${name}>` }, onCue(name, answer(200, name)));
    const { heard, lab, time } = await bothOut([early('the first'), early('the hedge')]);
    await lab.until(({ bytesSent }) => bytesSent > 70);
    await expect.poll(() => heard.calls, { interval: 1 }).toContain('head 103');
    lab.cue(winner);
    await heard.settled;
    expectCalls(heard, ['start', 'request sent', 'head 103', 'head 200', 'data', 'end']);
    expect(heard.body.toString()).toBe(winner);
    lab.cue(winner === 'the first' ? 'the hedge' : 'the first');
    await time.until(({ pending }) => pending.length === 0);
  },
);

test('a caller that paused before the head gets the hedge, once it resumes', async () => {
  const { heard } = await bothOut([silence(), answer(200, 'hedge')], {
    reactions: { onHead: (_status, hold) => hold.pause() },
  });
  await expect.poll(() => heard.calls, { interval: 1 }).toContain('head 200');
  expect(heard.calls).not.toContain('end');
  heard.hold?.resume();
  await heard.settled;
  expect(heard.body.toString()).toBe('hedge');
});

test('a handler that throws on the head of the hedge: it gets its error, and both attempts end', async () => {
  const broken = new Error('broken');
  const { heard, lab, time, told } = await bothOut([silence(), answer(200, 'hedge')], {
    reactions: {
      onHead: () => {
        throw broken;
      },
    },
  });
  await heard.settled;
  expect(heard.error).toBe(broken);
  await time.fire(time.pending[0] ?? 0);
  await lab.until(({ openSockets }) => openSockets === 0);
  expect(told.filter((line) => line.startsWith('settled'))).toHaveLength(1);
});

test('a handler that throws on an interim response while both are out: it gets its error, and both end', async () => {
  const broken = new Error('broken');
  const plays: Play[] = [onCue('early', informational(103, {}, silence()) as never), silence()];
  const { heard, lab, time, told } = await bothOut(plays, {
    reactions: {
      onHead: () => {
        throw broken;
      },
    },
  });
  lab.cue('early');
  await heard.settled;
  expect(heard.error).toBe(broken);
  await lab.until(({ openSockets }) => openSockets === 0);
  expect(time.pending).toEqual([]);
  expect(told.filter((line) => line.startsWith('settled'))).toHaveLength(1);
});

describe.skipIf(major === 6)('the beginning of an answer', () => {
  const begun = ({ calls }: Recorder): number => calls.filter((call) => call === 'response started').length;

  test.skipIf(isEarly7)('the caller sees that of the winner', async () => {
    const { heard } = await bothOut([silence(), answer(200, 'hedge')]);
    await heard.settled;
    expect(begun(heard)).toBe(1);
  });

  test('the caller hears nothing of a hedge that is retried', async () => {
    const plays = [
      onCue('first', { steps: [{ do: 'rst' }] } as never),
      onCue('hedge', answer(503)),
      answer(200, 'retried'),
    ];
    const { heard, lab, time } = await bothOut(plays);
    lab.cue('hedge');
    await lab.until(({ bytesSent }) => bytesSent > 0);
    expect(begun(heard)).toBe(0);
    lab.cue('first');
    await time.fire(retryMs);
    await heard.settled;
    expect(heard.body.toString()).toBe('retried');
  });

  test.skipIf(isEarly7)('a handler that throws when it gets a kept answer gets its error', async () => {
    const broken = new Error('broken');
    const plays = [
      onCue('first', { steps: [{ do: 'rst' }] } as never),
      onCue('hedge', answer(503, '', { 'x-should-retry': 'false' })),
    ];
    const { heard, lab } = await bothOut(plays, {
      reactions: {
        onResponseStarted: () => {
          throw broken;
        },
      },
    });
    lab.cue('hedge');
    await lab.until(({ bytesSent }) => bytesSent > 0);
    lab.cue('first');
    await heard.settled;
    expect(heard.error).toBe(broken);
    expect(terminalCalls(heard)).toBe(1);
    await lab.until(({ openSockets }) => openSockets === 0);
  });
});

test('a loser that goes on holds nothing of the caller', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const lab = await openLab([silence(), answer(200, 'hedge')]);
  const { time, retrier } = warmedUp();
  const agent = openAgent().compose(retry(retrier));
  const ask = async (): Promise<WeakRef<Recorder>> => {
    const heard = recorder(generation);
    agent.dispatch({ origin: lab.origin, path: '/', method: 'GET' }, heard);
    await lab.until(({ requests }) => requests.length === 1);
    await time.fire(hedgeMs);
    await heard.settled;
    return new WeakRef(heard);
  };
  const heard = await ask();
  // The connection of the winner holds on to its last request.
  await agent.request({ origin: lab.origin, path: '/', method: 'GET' }).then(({ body }) => body.dump());
  // Time by hand remembers every timer that was set.
  (time.timers as unknown[]).length = 0;
  const isHeld = (): boolean => {
    collectGarbage();
    return heard.deref() !== undefined;
  };
  await expect.poll(isHeld, { interval: 1 }).toBe(false);
  expect(time.pending, 'the loser is still out').toHaveLength(1);
  await time.fire(time.pending[0] ?? 0);
  expect(time.pending).toEqual([]);
});

test('an upgrade is not hedged', async () => {
  const { time, lab } = await hedged(silence('head'), { asked: { upgrade: 'echo' } });
  await lab.until(({ requests }) => requests.length === 1);
  expect(time.pending).toEqual([]);
});

test('fetch sees the time at which the answer of the hedge began', async () => {
  const lab = await openLab([silence(), answer(200, 'hedge')]);
  const { time, retrier } = warmedUp();
  const dispatcher = openAgent().compose(retry(retrier));
  const asked = undici.fetch(lab.origin, { dispatcher });
  await lab.until(({ requests }) => requests.length === 1);
  await time.fire(hedgeMs);
  expect(await (await asked).text()).toBe('hedge');
});
