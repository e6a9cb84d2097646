/** HTTP/2 sessions: one that ends during a wait is replaced, and one that lives is kept, whatever a caller aborts. */

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRetrier } from '../../../src/index.js';
import { destroySessionLater, startH2Lab } from '../../faults/h2-lab.js';
import { answer, silence, stallInBody } from '../../faults/lab.js';
import { settled, soon } from '../kit.js';
import { Waits } from '../waits.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

/** A hang takes forever; nothing else takes nearly as long. */
vi.setConfig({ testTimeout: 10_000 });

describe.each(subject.overH2)('$name', (way) => {
  // With a reset, a client may not have noticed when the server is done.
  test('a session that ends in the wait: the next attempt has a new one', async () => {
    const lab = await startH2Lab([destroySessionLater({ cue: 'end' }, answer(429)), answer(200, 'yes')]);
    onTestFinished(() => lab.close());
    const waits = new Waits('when told');
    const send = way.client(createRetrier({}, { sleep: waits.sleep }));
    const asked = send(lab.origin, { method: 'POST', body: 'pay' });
    await waits.until(1);
    lab.cue('end');
    await lab.until(({ openSockets }) => openSockets === 0);
    waits.wake();
    expect((await asked).text).toBe('yes');
    expect(lab.requests.map(({ body }) => String(body))).toEqual(['pay', 'pay']);
    expect(lab.connections).toBe(2);
  });

  test('a request that waits holds no stream: others use its session', async () => {
    const lab = await way.open([answer(503), answer(200, 'other'), answer(200, 'yes')]);
    const waits = new Waits('when told');
    const send = way.client(createRetrier({}, { sleep: waits.sleep }));
    const asked = send(lab.origin);
    await waits.until(1);
    expect((await send(`${lab.origin}/other`)).text).toBe('other');
    expect(lab.connections).toBe(1);
    waits.wake();
    expect((await asked).text).toBe('yes');
    expect(lab.connections).toBe(1);
  });

  describe('given up by the caller: the session lives, and nothing more is sent', () => {
    const plays = [
      ['before the answer', silence(), 0],
      ['in the body', stallInBody(100), 100],
    ] as const;

    test.each(plays)('%s', async (_when, play, bytes) => {
      const lab = await way.open([play, answer(200, 'next')]);
      const send = way.client(soon);
      const caller = new AbortController();
      const asked = settled(send(lab.origin, { signal: caller.signal }));
      await lab.until(({ requests, bytesSent }) => requests.length === 1 && bytesSent >= bytes);
      caller.abort();
      expect((await asked).error).toMatchObject({ name: expect.stringMatching(/^(Abort|Canceled)Error$/) });
      expect((await send(lab.origin)).text).toBe('next');
      expect([lab.requests.length, lab.connections]).toEqual([2, 1]);
    });

    test('in the wait', async () => {
      const lab = await way.open([answer(503), answer(200, 'next')]);
      const waits = new Waits('when told');
      const send = way.client(createRetrier({}, { sleep: waits.sleep }));
      const caller = new AbortController();
      const asked = settled(send(lab.origin, { signal: caller.signal }));
      await waits.until(1);
      caller.abort();
      expect((await asked).error).toMatchObject({ name: expect.stringMatching(/^(Abort|Canceled)Error$/) });
      expect(waits.pending).toBe(0);
      expect((await send(lab.origin)).text).toBe('next');
      expect([lab.requests.length, lab.connections]).toEqual([2, 1]);
    });
  });
});
