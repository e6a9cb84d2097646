/**
 * A token that several requests share. It calls its listeners by index, from the last to the first. A listener that
 * takes itself and another one off the list makes it throw: an unhandled rejection, and the remaining requests go on as
 * if they were not cancelled.
 */

import { text } from 'node:stream/consumers';
import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { answer, type Lab, type Play, silence, stallInBody } from '../../faults/lab.js';
import { openLab, settled } from '../kit.js';
import { byToken, type Caller } from './callers.js';
import { axios, isFirst } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

const schedule = { kind: 'fixed', waitMs: 60_000, jitter: 'none' } as const;
const beyond = 120_000;

const policies = [
  ['plain axios', undefined],
  ['no time limits', { schedule }],
  ['an attempt timeout', { schedule, attemptTimeoutMs: beyond }],
  ['a deadline', { schedule, deadlineMs: beyond }],
  ['a deadline for the body', { schedule, deadlineMs: beyond, deadlineCovers: 'body' }],
] as const;

// The first fetch adapter ignores tokens.
const adapters = isFirst ? (['http'] as const) : (['http', 'fetch'] as const);

describe.each(adapters)('a token that two requests share, over %s:', (adapter) => {
  describe.each(policies)('%s:', (_, policy) => {
    let decisions = 0;

    function open(lab: Lab, ask: AxiosRequestConfig): AxiosInstance {
      const defaults = { adapter, baseURL: lab.origin, ...ask };
      if (policy === undefined) return openInstance(defaults);
      decisions = 0;
      const observe = ({ type }: { readonly type: string }): void => {
        if (type === 'decision') decisions += 1;
      };
      return retryingInstance({ ...policy, observe }, defaults);
    }

    async function expectBothCancelled(
      play: Play,
      ask: AxiosRequestConfig,
      read: (data: unknown) => unknown,
      isTime: (lab: Lab) => boolean,
    ): Promise<void> {
      const lab = await openLab(play);
      const caller = byToken(axios, 'the user left');
      let heard = 0;
      listenTo(caller, () => {
        heard += 1;
      });
      const instance = open(lab, ask);
      const both = ['/1', '/2'].map((path) =>
        settled(instance.get(path, caller.config).then(({ data }) => read(data))),
      );
      await expect.poll(() => isTime(lab)).toBe(true);
      caller.giveUp();
      for (const { error } of await Promise.all(both)) expect(error).toBeInstanceOf(Error);
      expect(heard).toBe(1);
      expect(caller.listeners()).toBe(0);
    }

    test('cancels both in their attempts', async () => {
      const hasArrived = ({ requests }: Lab): boolean => requests.length === 2;
      await expectBothCancelled(silence(), {}, (data) => data, hasArrived);
    });

    test.skipIf(policy === undefined)('cancels both in their waits', async () => {
      await expectBothCancelled(
        answer(503),
        {},
        (data) => data,
        () => decisions === 2,
      );
    });

    test('cancels both while their bodies are read', async () => {
      let begun = 0;
      const read = (data: unknown): Promise<string> => {
        begun += 1;
        return text(data as AsyncIterable<string>);
      };
      await expectBothCancelled(stallInBody(10), { responseType: 'stream' }, read, () => begun === 2);
    });
  });
});

function listenTo({ config }: Caller, listener: () => void): void {
  (config.cancelToken as unknown as { subscribe(listener: () => void): void }).subscribe(listener);
}
