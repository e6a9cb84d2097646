/** An upload that its caller breaks, or that breaks while nothing reads it, ends as it does without us. */

import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { createRetrier, type Decision, type PolicyOptions } from '../../../src/index.js';
import { answer, silence } from '../../faults/lab.js';
import { Clock } from '../clock.js';
import { openLab, settled, soon } from '../kit.js';
import { type Reply, type Send, theSubject } from './subject.js';

const subject = await theSubject();

/** A hang takes forever; nothing else takes nearly as long. */
vi.setConfig({ testTimeout: 10_000 });

/** A stream with one chunk that never ends. */
function unfinished(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('first,');
  return stream;
}

function summary(error: unknown): object {
  const { name, code, message, cause } = error as Error & { code?: string };
  return { name, code, message, cause: cause === undefined ? undefined : summary(cause) };
}

/** An error that looks like a failed connection, which would be worth a retry. */
const broken = Object.assign(new Error('the disk is gone'), { code: 'ECONNRESET' });

const ends: readonly (readonly [name: string, error: Error | undefined])[] = [
  ['is destroyed', undefined],
  ['breaks', broken],
];

function put(
  send: Send,
  origin: string,
  body: unknown,
): Promise<{ readonly value?: Reply; readonly error?: unknown }> {
  return settled(send(origin, { method: 'PUT', body }));
}

describe.each(subject.uploading)('over $name', (way) => {
  /** The end without us. */
  async function bareEnd(error: Error | undefined): Promise<object | undefined> {
    if (way.bare === undefined) return undefined;
    return summary(await whileSent(way.bare(), error));
  }

  async function whileSent(send: Send, error: Error | undefined): Promise<unknown> {
    const lab = await openLab(silence());
    const stream = unfinished();
    const asked = put(send, lab.origin, stream);
    await lab.until(({ requests }) => String(requests[0]?.body) === 'first,');
    stream.destroy(error);
    const told = (await asked).error;
    expect(lab.requests.map(({ complete }) => complete)).toEqual([false]);
    return told;
  }

  describe.each(ends)('an upload that %s', (_name, error) => {
    test.each([['with retries', soon] as const, ['retry: false', { retry: false }] as const])(
      'while it is sent, %s',
      async (_retries, given) => {
        const decisions: Decision[] = [];
        const observe: PolicyOptions['observe'] = (event) => {
          if (event.type === 'decision') decisions.push(event.decision);
        };
        const told = summary(await whileSent(way.client({ ...given, observe }), error));
        expect(told).toEqual((await bareEnd(error)) ?? told);
        expect(decisions.length).toBeLessThan(2);
      },
    );

    test('in the second attempt', async () => {
      const cut = { at: 'head', steps: [{ do: 'cue', name: 'go' }, { do: 'rst' }] } as const;
      const lab = await openLab([cut, silence()]);
      const stream = unfinished();
      const asked = put(way.client(soon), lab.origin, stream);
      await lab.until(({ requests }) => String(requests[0]?.body) === 'first,');
      lab.cue('go');
      await lab.until(({ requests }) => String(requests[1]?.body) === 'first,');
      stream.destroy(error);
      const told = summary((await asked).error);
      expect(told).toEqual((await bareEnd(error)) ?? told);
    });

    test('with retries off, while it is held back: it fails, and nothing is uncaught', async () => {
      const lab = await openLab(answer(429, '', { 'retry-after': '5' }));
      const clock = new Clock();
      const send = way.client(createRetrier({ maxRetries: 0, hold: { refusedShare: 0 } }, clock.ports));
      await put(send, lab.origin, 'abc');
      const stream = unfinished();
      const asked = put(send, lab.origin, stream);
      await clock.waits.until(1);
      stream.destroy(error);
      await new Promise((resolve) => stream.once('close', resolve));
      clock.now = 60_000;
      clock.waits.wake();
      expect((await asked).error).toBeInstanceOf(Error);
      expect(lab.requests.filter(({ complete }) => complete)).toHaveLength(1);
    });
  });
});
