/** Hedges and the layers around them: other interceptors, a second retry(), bodies that are resumed. */

import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { answer, type Lab, type LabScript, type Play, silence } from '../../faults/lab.js';
import { openLab } from '../kit.js';
import { hedgeMs, onCue, retryMs, type Warmed, warmedUp } from '../suites/hedged.js';
import { undici } from './client.js';
import { openAgent } from './kit.js';
import { mockedAgent } from './mocked.js';
import { type Interceptor, type Recorder, record } from './recorder.js';
import { content, cut, head, rest } from './resume-download.js';

interface Stage extends Warmed {
  readonly lab: Lab;
  readonly recorder: Recorder;
}

/** A request whose first attempt has arrived, through these layers under `retry()`. */
async function asked(script: LabScript, layers: readonly Interceptor[] = []): Promise<Stage> {
  const lab = await openLab(script);
  const warmed = warmedUp();
  const agent = openAgent().compose(...layers, retry(warmed.retrier)) as Dispatcher;
  const recorder = record(agent, { origin: lab.origin });
  await lab.until(({ requests }) => requests.length === 1);
  return { ...warmed, lab, recorder };
}

const text = ({ bytes }: Recorder): string => bytes.toString();

test('a body that broke off: no hedge beside the request for the rest', async () => {
  const broken: Play = {
    steps: [{ do: 'head', status: 200, headers: head }, { do: 'fill', bytes: cut }, { do: 'fin' }],
  };
  const restLater: Play = {
    steps: [
      { do: 'cue', name: 'rest' },
      { do: 'head', status: 206, headers: rest },
      { do: 'fill', bytes: 600, from: cut },
      { do: 'end' },
    ],
  };
  const { lab, time, recorder } = await asked([broken, restLater]);
  await time.fire(retryMs);
  await lab.until(({ requests }) => requests.length === 2);
  expect(time.pending).toEqual([]);
  lab.cue('rest');
  await recorder.end();
  expect(recorder.bytes.equals(content)).toBe(true);
  expect(lab.requests).toHaveLength(2);
});

test('a body of the hedge that breaks off is resumed', async () => {
  const broken: Play = {
    steps: [{ do: 'head', status: 200, headers: head }, { do: 'fill', bytes: cut }, { do: 'fin' }],
  };
  const rested: Play = {
    steps: [{ do: 'head', status: 206, headers: rest }, { do: 'fill', bytes: 600, from: cut }, { do: 'end' }],
  };
  const { time, recorder, told } = await asked([silence(), broken, rested]);
  await time.fire(hedgeMs);
  await time.fire(retryMs);
  await recorder.end();
  expect(recorder.bytes.equals(content)).toBe(true);
  expect(recorder).toMatchObject({ starts: 1, ends: 1, errors: [] });
  expect(told.filter((line) => line.startsWith('settled'))).toHaveLength(1);
});

test('redirects beneath: the caller gets the way that the winner took', async () => {
  const { redirect } = undici.interceptors;
  const { lab, time, recorder } = await asked(
    ({ path, number }) =>
      path === '/'
        ? {
            steps: [
              { do: 'head', status: 302, headers: { location: `/at-${number}`, 'content-length': '0' } },
              { do: 'end' },
            ],
          }
        : path === '/at-1'
          ? silence()
          : answer(200, path),
    [redirect({ maxRedirections: 3 }) as Interceptor],
  );
  await lab.until(({ requests }) => requests.length === 2);
  await time.fire(hedgeMs);
  await recorder.end();
  expect(text(recorder)).toBe('/at-3');
  const { history } = recorder.context as { readonly history: readonly URL[] };
  expect(history.map(String)).toEqual([`${lab.origin}/`, `${lab.origin}/at-3`]);
});

test('two retry() in a row: only the outer one hedges', async () => {
  const lab = await openLab([onCue('first', answer(200, 'first')), answer(200, 'hedge')]);
  const [inner, outer] = [warmedUp(), warmedUp()];
  const agent = openAgent().compose(retry(inner.retrier), retry(outer.retrier));
  const recorder = record(agent, { origin: lab.origin });
  await lab.until(({ requests }) => requests.length === 1);
  expect(inner.time.pending).toEqual([]);
  await outer.time.fire(hedgeMs);
  await recorder.end();
  expect(text(recorder)).toBe('hedge');
  expect(lab.requests).toHaveLength(2);
  expect(inner.told).toEqual([]);
});

test('a layer beneath that throws for the hedge: the first goes on', async () => {
  let dispatches = 0;
  const throwing: Interceptor = (dispatch) => (options, handler) => {
    dispatches += 1;
    if (dispatches === 2) throw new Error('one is enough');
    return dispatch(options, handler);
  };
  const { lab, time, recorder, told } = await asked(onCue('first', answer(200, 'first')), [throwing]);
  await time.fire(hedgeMs);
  expect(dispatches).toBe(2);
  lab.cue('first');
  await recorder.end();
  expect(text(recorder)).toBe('first');
  expect(told).toEqual(['settled 200 after 1']);
  expect(time.pending).toEqual([]);
});

test('an agent that is destroyed ends both attempts', async () => {
  const lab = await openLab(silence());
  const { time, retrier } = warmedUp({ maxRetries: 1 });
  const base = openAgent();
  const recorder = record(base.compose(retry(retrier)), { origin: lab.origin });
  await lab.until(({ requests }) => requests.length === 1);
  await time.fire(hedgeMs);
  await lab.until(({ requests }) => requests.length === 2);
  await base.destroy();
  await recorder.end();
  expect(recorder.errors).toMatchObject([{ code: 'UND_ERR_DESTROYED' }]);
  expect(time.pending).toEqual([]);
});

test('over a MockAgent, which answers before anything is late', async () => {
  const { time, retrier, told } = warmedUp();
  const { dispatcher, attempts } = mockedAgent([503, 200], retrier);
  const recorder = record(dispatcher, { origin: 'https://api.example.com' });
  await time.fire(retryMs);
  await recorder.end();
  expect(text(recorder)).toBe('said');
  expect(attempts()).toBe(2);
  expect(told.at(-1)).toBe('settled 200 after 2');
  expect(time.pending).toEqual([]);
});
