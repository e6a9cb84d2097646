/** An upgraded connection that the caller rejects after all ends as under the bare dispatcher. */

import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { answer, upgrade101 } from '../../faults/lab.js';
import { comesTrue, openLab, settled, soon } from '../kit.js';
import { type Generation, native, type Reactions, recorder } from './generations.js';
import { openH2Agent, openH2Lab, wires } from './h2-client.js';
import { openAgent } from './kit.js';

const reason = new Error('not wanted');

/** Done in onRequestUpgrade; the socket has an owner that listens for its errors. */
const manners: readonly [string, (recorded: { abort(): void }) => Reactions['onUpgrade']][] = [
  ['takes it', () => owned(() => undefined)],
  [
    'throws',
    () =>
      owned(() => {
        throw reason;
      }),
  ],
  ['aborts', ({ abort }) => owned(abort)],
];

function owned(then: () => void): Reactions['onUpgrade'] {
  return (socket: Duplex) => {
    socket.on('error', () => undefined);
    then();
  };
}

type Manner = (typeof manners)[number][1];

/** The caller's callbacks from the upgrade on, with time for more than one error. */
async function heardOf(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  generation: Generation,
  manner: Manner,
): Promise<{ calls: readonly string[]; error: unknown; destroyed: boolean | undefined }> {
  const heard = recorder(generation, {
    onUpgrade: (socket) => manner({ abort: () => heard.hold?.abort(reason) })?.(socket),
  });
  dispatcher.dispatch(options, heard);
  await heard.settled;
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  const { calls, error, socket } = heard;
  const destroyed = socket?.destroyed;
  socket?.destroy();
  return { calls: calls.filter((call) => /^(head|upgrade|end|error)/.test(call)), error, destroyed };
}

describe.each<Generation>([1, 2])('a handler of generation %i that gets a socket', (generation) => {
  test.each(manners)('and %s is told the same: HTTP/1.1', async (_name, manner) => {
    const lab = await openLab(upgrade101());
    const options = { origin: lab.origin, path: '/', method: 'GET', upgrade: 'echo' } as const;
    const agent = openAgent();
    const bare = await heardOf(agent, options, native, manner);
    const ours = await heardOf(agent.compose(retry(soon)), options, generation, manner);
    expect(ours).toEqual(bare);
    expect(lab.requests).toHaveLength(2);
  });
});

describe.each(wires)('a WebSocket over $name', (wire) => {
  const script = (status: number) =>
    ({ at: 'head', ...answer(status), ...(status === 200 && stays) }) as const;
  const stays = { steps: [{ do: 'head', status: 200 }, { do: 'stall' }] } as const;
  const asked = (origin: string) => ({ origin, path: '/', protocol: 'websocket' });

  test.each(
    [200, 401, 404, 503].flatMap((status) =>
      manners.map(([name, manner]) => [status, name, manner] as const),
    ),
  )('that is answered %i: a handler that %s is told the same', async (status, _name, manner) => {
    const lab = await openH2Lab(script(status), wire);
    const options = { origin: lab.origin, path: '/', method: 'GET', upgrade: 'websocket' } as const;
    const bare = await heardOf(openH2Agent(wire), options, native, manner);
    for (const generation of [1, 2] as const) {
      const ours = await heardOf(openH2Agent(wire).compose(retry(soon)), options, generation, manner);
      expect(ours).toEqual(bare);
    }
  });

  test.each([200, 401, 404, 503])(
    'that is answered %i settles upgrade() as without retry()',
    async (status) => {
      const lab = await openH2Lab(script(status), wire);
      for (const policy of [soon, { retry: false } as const]) {
        const ours = openH2Agent(wire).compose(retry(policy));
        const outcomes = [openH2Agent(wire), ours].map(async (dispatcher) => {
          const { value, error } = await settled(dispatcher.upgrade(asked(lab.origin)));
          value?.socket.on('error', () => undefined).destroy();
          return [value === undefined, error instanceof Error && [error.name, error.message]];
        });
        let settledOnes = 0;
        for (const outcome of outcomes) void outcome.then(() => (settledOnes += 1));
        expect(await comesTrue(() => settledOnes === 2)).toBe(true);
        expect(await outcomes[1]).toEqual(await outcomes[0]);
      }
    },
  );
});
