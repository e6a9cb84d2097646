/** The dispatcher underneath retry() gets the caller's request unchanged, and may fail in any way. */

import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import type { Controller, Handler, OldHandler } from '../../../src/adapters/undici/handlers.js';
import { retry } from '../../../src/adapters/undici/index.js';
import { historyOf } from '../../../src/index.js';
import { answer, rst } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { native, outcomeOf, recorder } from './generations.js';
import { openAgent } from './kit.js';
import type { Interceptor } from './recorder.js';

const get = { path: '/', method: 'GET' } as const;

const idle: Controller = {
  paused: false,
  aborted: false,
  reason: null,
  pause: () => undefined,
  resume: () => undefined,
  abort: () => undefined,
};

/** A user's own dispatcher that fails with an error of its own, possibly after it has called onRequestStart. */
function failing(
  says: unknown,
  begins = false,
): { readonly below: Interceptor; readonly asked: () => number } {
  let asked = 0;
  const below: Interceptor = () => (_options, handler) => {
    asked += 1;
    // Calls handlers of either generation, as undici does.
    const old = handler as unknown as OldHandler;
    const young = handler as unknown as Handler;
    if (native === 1) {
      if (begins) old.onConnect?.(() => undefined, null);
      old.onError?.(says);
    } else {
      if (begins) young.onRequestStart?.(idle, null);
      young.onResponseError?.(idle, says);
    }
    return true;
  };
  return { below, asked: () => asked };
}

test("where nothing has to differ, the caller's own options go down", async () => {
  const lab = await openLab(answer(200));
  const seen: unknown[] = [];
  const below: Interceptor = (dispatch) => (options, handler) => {
    seen.push(options);
    return dispatch(options, handler);
  };
  const options = { ...get, origin: lab.origin, headers: { 'x-a': '1' }, body: 'hello' };
  const heard = recorder(2);
  openAgent().compose(below, retry(soon)).dispatch(options, heard);
  await heard.settled;
  expect(heard.calls).toContain('end');
  expect(seen[0]).toBe(options);
});

test('headers that can be read once are those of every attempt', async () => {
  function* once(): Generator<[string, string]> {
    yield ['x-a', '1'];
    yield ['x-b', '2'];
  }
  const lab = await openLab([answer(503), rst(), answer(200)]);
  const headers = once() as unknown as Record<string, string>;
  const { body } = await openAgent()
    .compose(retry(soon))
    .request({ ...get, origin: lab.origin, headers });
  await body.dump();
  expect(lab.requests.map(({ headers: sent }) => [sent['x-a'], sent['x-b']])).toEqual(
    Array(3).fill(['1', '2']),
  );
});

describe('an error that is not an Error', () => {
  const none = [undefined, null, '', 0, 'broken', 42, Symbol('broken')];

  test.each(none.flatMap((says) => [false, true].map((begins) => [says, begins] as const)))(
    'is final, and reaches the caller as a truthy error: %s (after the start: %s)',
    async (says, begins) => {
      const { below, asked } = failing(says, begins);
      const options = { ...get, origin: 'http://127.0.0.1:9' } as Dispatcher.DispatchOptions;
      const { error, terminals } = await outcomeOf(openAgent().compose(below, retry(soon)), options, 2);
      expect([terminals, asked()]).toEqual([1, 1]);
      // undici's callers take a falsy error for none.
      if (says) expect(error).toBe(says);
      else expect(error).toBeInstanceOf(Error);
    },
  );
});

describe('a status in an error', () => {
  async function fail(says: object) {
    const { below, asked } = failing(says);
    const options = { ...get, origin: 'http://127.0.0.1:9' } as Dispatcher.DispatchOptions;
    const { error } = await outcomeOf(openAgent().compose(below, retry(soon)), options, 2);
    expect(error).toBe(says);
    const findings = historyOf(error)?.map(({ decision }) => decision.finding) ?? [];
    return { asked: asked(), kinds: new Set(findings.map(({ kind }) => kind)) };
  }

  test('makes an answer of it where it is what `responseError` throws', async () => {
    const says = Object.assign(new Error('no'), { code: 'UND_ERR_RESPONSE', statusCode: 404, headers: {} });
    expect(await fail(says)).toEqual({ asked: 1, kinds: new Set(['response']) });
  });

  test('is not an answer in an error of another kind', async () => {
    const says = Object.assign(new Error('reset'), { code: 'ECONNRESET', statusCode: 404 });
    expect(await fail(says)).toEqual({ asked: 4, kinds: new Set(['error']) });
  });

  test('that is undefined is not an answer, either', async () => {
    const says = Object.assign(new Error('no'), { code: 'UND_ERR_RESPONSE' });
    expect((await fail(says)).kinds).toEqual(new Set(['error']));
  });
});
