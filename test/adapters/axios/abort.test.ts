/** A caller who gives up is heard at once, wherever the request is, and nothing of it happens afterwards. */

import { Agent } from 'node:http';
import type { AxiosInstance, AxiosStatic, CreateAxiosDefaults } from 'axios';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import {
  createRetrier,
  type DecisionEvent,
  type PolicyOptions,
  type SettledEvent,
} from '../../../src/index.js';
import { answer, type Lab, silence, startFullBacklog } from '../../faults/lab.js';
import { thinker, wait } from '../abort-moments.js';
import { HandTime } from '../hand-time.js';
import { openLab, settled, soon } from '../kit.js';
import { attemptTimeoutMs, deadlineMs, type Scene, scenes } from './abort-scenes.js';
import { bySignal, byToken, expectCanceled, type MakeCaller, plainCallers, rareCallers } from './callers.js';
import { axios, axiosEsm, version } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

/** What hangs takes forever; nothing else takes nearly so long. */
vi.setConfig({ testTimeout: 10_000 });

const adapters = ['http', 'fetch'] as const;
const withLimits = { attemptTimeoutMs, deadlineMs };
const limits: readonly [string, PolicyOptions][] = [
  ['without limits', {}],
  ['with limits', withLimits],
];
/** Its adapter for fetch does not look at tokens. */
const fetchIgnoresTokens = version === '1.7.0';

function instanceOf(build: AxiosStatic, defaults: CreateAxiosDefaults): AxiosInstance {
  const httpAgent = new Agent({ keepAlive: true });
  onTestFinished(() => httpAgent.destroy());
  return build.create({ httpAgent, ...defaults });
}

/** What the request's abort leaves behind is checked for, and that it is one end. */
async function playAndGiveUp(
  scene: Scene,
  build: AxiosStatic,
  adapter: (typeof adapters)[number],
  makeCaller: MakeCaller,
  policy: PolicyOptions,
): Promise<{ readonly error: unknown; readonly lab: Lab }> {
  const time = new HandTime();
  const events: (DecisionEvent | SettledEvent)[] = [];
  const { asked, ask } = thinker();
  const schedule = { kind: 'fixed', waitMs: wait, jitter: 'none' } as const;
  const retrier = createRetrier(
    { schedule, ...policy, ...scene.policy?.(ask), observe: (event) => events.push(event) },
    time.ports,
  );
  const lab = await openLab(scene.plays);
  const instance = instanceOf(build, { adapter, baseURL: lab.origin });
  const detach = attachRetry(instance, retrier);
  const caller = makeCaller(build);
  const answered = settled(instance.request({ url: '/', ...scene.request?.(ask), ...caller.config }));
  await scene.reach({ lab, time, asked });
  caller.giveUp();
  const { error } = await answered;

  expect(time.pending).toEqual([]);
  // fetch's adapter lets go of the signal a turn later.
  await expect.poll(() => caller.listeners(), { interval: 1 }).toBe(0);
  expect(lab.requests).toHaveLength(scene.requests);
  expect(events.filter(({ type }) => type === 'settled')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: 'settled' });

  detach();
  lab.play(answer(200, 'next'));
  expect((await instance.get('/next')).data).toBe('next');
  expect(lab.requests.map(({ path }) => path)).toEqual(['/next']);
  return { error, lab };
}

type Setting = readonly [AxiosStatic, (typeof adapters)[number], PolicyOptions];
const settings: readonly [string, Setting][] = [
  ['http', [axios, 'http', {}]],
  ['http with limits', [axios, 'http', withLimits]],
  ['fetch', [axios, 'fetch', {}]],
  ['fetch with limits', [axios, 'fetch', withLimits]],
  ['http of the ESM build', [axiosEsm, 'http', withLimits]],
];

const rows = scenes.flatMap(([place, scene]) =>
  plainCallers.flatMap(([who, makeCaller]) =>
    settings.map(([where, [build, adapter, policy]]) => ({
      name: `${place}, by ${who}, ${where}`,
      isDeaf: fetchIgnoresTokens && adapter === 'fetch' && who === 'CancelToken' && scene.isSending,
      run: async () => {
        const { error } = await playAndGiveUp(scene, build, adapter, makeCaller, policy);
        expectCanceled(error, build, adapter === 'fetch' && scene.isSending);
      },
    })),
  ),
);

for (const { name, isDeaf, run } of rows) test.skipIf(isDeaf)(name, run);

describe('in rarer ways', () => {
  const cells = scenes.flatMap(([place, scene], n) =>
    rareCallers.map(([who, makeCaller], m) => {
      const [limited, policy] = limits[(n + m) % limits.length] ?? ['', {}];
      return [place, who, limited, scene, makeCaller, policy] as const;
    }),
  );
  test.each(cells)('%s, by %s, %s', async (_place, _who, _limited, scene, makeCaller, policy) => {
    const { error } = await playAndGiveUp(scene, axios, 'http', makeCaller, policy);
    expectCanceled(error, axios);
  });
});

describe('as bare axios says it', () => {
  const everybody = [...plainCallers, ...rareCallers];
  const said = (error: unknown) => {
    const { name, message, code, constructor: type } = error as Error & { code?: unknown };
    return { name, message, code, type, hasConfig: 'config' in Object(error) };
  };

  async function bareAndOurs(makeCaller: MakeCaller, config: CreateAxiosDefaults, isBefore: boolean) {
    const errors: unknown[] = [];
    for (const instance of [openInstance(config), retryingInstance(soon, config)]) {
      const lab = await openLab(silence());
      const caller = makeCaller(axios);
      if (isBefore) caller.giveUp();
      const answered = settled(instance.get(lab.origin, caller.config));
      if (!isBefore) {
        await lab.until(({ requests }) => requests.length === 1);
        caller.giveUp();
      }
      errors.push((await answered).error);
      expect(lab.requests).toHaveLength(isBefore ? 0 : 1);
    }
    return errors.map(said);
  }

  const cells = adapters.flatMap((adapter) =>
    everybody.map(([who, makeCaller]) => ({ adapter, who, makeCaller })),
  );
  for (const { adapter, who, makeCaller } of cells) {
    const isDeaf = fetchIgnoresTokens && adapter === 'fetch' && who.startsWith('CancelToken');
    test.skipIf(isDeaf)(`before the answer, ${adapter}, by ${who}`, async () => {
      const [bare, ours] = await bareAndOurs(makeCaller, { adapter }, false);
      expect(ours).toEqual(bare);
    });
    test(`before it is sent, ${adapter}, by ${who}`, async () => {
      const [bare, ours] = await bareAndOurs(makeCaller, { adapter }, true);
      expect(ours).toEqual(bare);
    });
  }

  test("in the wait: a token's error is its reason", async () => {
    const { error } = await inTheWait((build) => byToken(build, 'the user left'));
    expect(error).toMatchObject({ message: 'the user left' });
  });

  test("in the wait: a signal's error is what axios always says, with the request's configuration", async () => {
    const { error, lab } = await inTheWait(() => bySignal(new Error('the user left')));
    expect(error).toMatchObject({ message: 'canceled', config: { baseURL: lab.origin } });
  });

  function inTheWait(makeCaller: MakeCaller) {
    const scene = scenes.find(([place]) => place === 'in a wait after an answer')?.[1];
    if (scene === undefined) throw new Error('the scene is gone');
    return playAndGiveUp(scene, axios, 'http', makeCaller, {});
  }
});

describe('while connecting', () => {
  const cells = adapters.flatMap((adapter) =>
    plainCallers.map(([who, makeCaller]) => ({ adapter, who, makeCaller })),
  );
  for (const { adapter, who, makeCaller } of cells) {
    const isDeaf = fetchIgnoresTokens && adapter === 'fetch' && who === 'CancelToken';
    test.skipIf(isDeaf)(`${adapter}, by ${who}`, async () => {
      await using backlog = await startFullBacklog();
      const time = new HandTime();
      const instance = retryingInstance(createRetrier({ deadlineMs }, time.ports), { adapter });
      const caller = makeCaller(axios);
      const answered = settled(instance.get(backlog.origin, caller.config));
      await time.until(({ pending }) => pending.includes(deadlineMs));
      caller.giveUp();
      expectCanceled((await answered).error, axios, adapter === 'fetch');
      await expect.poll(() => caller.listeners(), { interval: 1 }).toBe(0);
      expect(time.pending).toEqual([]);
    });
  }
});
