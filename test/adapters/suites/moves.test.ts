/**
 * `beforeRetry` that sends a request to another origin: from then on, the scope of that origin is judged and charged. The
 * rule, its retries and its deadline stay.
 */

import { describe, expect, test } from 'vitest';
import type { BeforeRetry, PolicyOptions, Retrier, ToldRequest } from '../../../src/index.js';
import { createRetrier, GateShutError, HeldError } from '../../../src/index.js';
import { answer, rst } from '../../faults/plays.js';
import { Clock } from '../clock.js';
import { openLab, settled, soon } from '../kit.js';
import { theSubject } from './subject.js';

const subject = await theSubject();

interface Stage {
  /** Where the second retry goes. */
  readonly back?: string;
  readonly clock?: Clock;
}

describe.each(subject.ways)('over $name', ({ client, takesOverride }) => {
  /** A retrier that sends the first retry to another server, and what its scopes have left. */
  const moving = (
    there: string,
    policy: PolicyOptions = {},
    { back, clock = new Clock('at once') }: Stage = {},
  ) => {
    const told: string[] = [];
    const beforeRetry: BeforeRetry = (context) => {
      if (context.history.length === 1) context.url = `${there}/there`;
      else if (back !== undefined) context.url = `${back}/back`;
    };
    const observe: PolicyOptions['observe'] = (event) => {
      if (event.type === 'decision') told.push(event.scope);
    };
    const budget = { capacity: 10, perSuccess: 1, perSecond: 0, refund: false } as const;
    const retrier = createRetrier({ ...soon, budget, beforeRetry, observe, ...policy }, clock.ports);
    const send = client(retrier);
    return { clock, retrier, send, told, tokens: (scope: string) => tokensIn(retrier, scope) };
  };

  test('what the retry costs, and what it earns, is that origin’s', async () => {
    const [home, away] = [await openLab(answer(503)), await openLab(answer(200, 'ok'))];
    const { send, tokens, told } = moving(away.origin);
    expect((await send(home.origin)).text).toBe('ok');
    // One for the retry, and one for the success.
    expect([tokens(home.origin), tokens(away.origin)]).toEqual([10, 10]);
    expect(told).toEqual([home.origin, away.origin]);
  });

  test('… and the retries that follow there', async () => {
    const [home, away] = [await openLab(answer(503)), await openLab(answer(503))];
    const { send, tokens, told } = moving(away.origin, { maxRetries: 3 });
    await send(home.origin);
    expect(home.requests).toHaveLength(1);
    expect(away.requests).toHaveLength(3);
    expect([tokens(home.origin), tokens(away.origin)]).toEqual([10, 7]);
    expect(told).toEqual([home.origin, away.origin, away.origin, away.origin]);
  });

  test('a success gives back what was paid there, and no more', async () => {
    const [home, away] = [await openLab(answer(503)), await openLab([answer(503), answer(200, 'ok')])];
    const budget = { capacity: 10, perSuccess: 1, perSecond: 0, refund: 'all' } as const;
    const { send, tokens } = moving(away.origin, { budget });
    await send(home.origin);
    expect([tokens(home.origin), tokens(away.origin)]).toEqual([10, 10]);
  });

  test('its budget decides about the retries there', async () => {
    const [home, away] = [await openLab(answer(503)), await openLab(answer(503))];
    const budget = { capacity: 2, perSuccess: 0, perSecond: 0 } as const;
    const { send, tokens } = moving(away.origin, { budget, maxRetries: 9 });
    await send(home.origin);
    expect(away.requests).toHaveLength(2);
    expect([tokens(home.origin), tokens(away.origin)]).toEqual([2, 0]);
  });

  test('back at its own origin, the first scope is', async () => {
    const [home, away] = [await openLab([answer(503), answer(200, 'ok')]), await openLab(answer(503))];
    const { send, tokens, told } = moving(away.origin, {}, { back: home.origin });
    expect((await send(home.origin)).text).toBe('ok');
    expect(told).toEqual([home.origin, away.origin, home.origin]);
    // The retry there, and the one back here, which the success has earned again.
    expect([tokens(home.origin), tokens(away.origin)]).toEqual([10, 9]);
  });

  describe('the gate', () => {
    const gate = { failures: 1, deadForMs: 0, probeMs: 1_000, rampMs: 1_000 } as const;

    test.runIf(takesOverride)('of the other origin is asked', async () => {
      const [home, away] = [await openLab(answer(503)), await openLab(rst())];
      const { send } = moving(away.origin, { gate: { ...gate, failures: 2 } });
      for (let request = 0; request < 2; request += 1)
        await settled(send(`${away.origin}/there`, { retry: { maxRetries: 0 } }));
      const arrived = away.requests.length;
      const { error } = await settled(send(home.origin));
      expect(error).toBeInstanceOf(GateShutError);
      expect(error).toMatchObject({ scope: away.origin });
      expect(away.requests).toHaveLength(arrived);
    });

    test('of its own is not asked any more', async () => {
      const [home, away] = [await openLab(answer(503)), await openLab(answer(200, 'ok'))];
      const waiting = { ...gate, whenShut: 'wait' } as const;
      const { send, clock } = moving(
        away.origin,
        {
          gate: waiting,
          deadlineMs: 60_000,
        },
        { clock: new Clock() },
      );
      const asked = send(home.origin);
      await clock.waits.until(1);
      clock.waits.wake();
      expect((await asked).text).toBe('ok');
    });

    test('hears of the failures there, as of first attempts', async () => {
      const [home, away] = [await openLab(answer(500)), await openLab(answer(503))];
      const { send, retrier } = moving(away.origin, { gate: { ...gate, failures: 2 }, maxRetries: 1 });
      for (let request = 0; request < 2; request += 1) await settled(send(`${home.origin}/${request}`));
      const { scopes } = retrier.snapshot();
      expect(scopes.find(({ name }) => name === away.origin)?.gates).toEqual([{ state: 'shut' }]);
    });
  });

  test('the hold of its own origin does not keep it', async () => {
    const [home, away] = [
      await openLab(answer(429, '', { 'retry-after': '1' })),
      await openLab(answer(200, 'ok')),
    ];
    const hold = { refusedShare: 0, minMs: 0 } as const;
    const { send, clock, retrier } = moving(
      away.origin,
      { hold, hintJitter: 0, deadlineMs: 60_000 },
      { clock: new Clock() },
    );
    const both = [send(`${home.origin}/1`), send(`${home.origin}/2`)];
    await clock.waits.until(2);
    clock.now = 1_000;
    clock.waits.wake();
    expect((await Promise.all(both)).map(({ text }) => text)).toEqual(['ok', 'ok']);
    expect(retrier.snapshot().scopes.find(({ name }) => name === away.origin)?.holds ?? []).toEqual([]);
  });

  test.runIf(takesOverride)('the hold of the other origin does', async () => {
    const [home, away] = [
      await openLab(answer(503)),
      await openLab(answer(429, '', { 'retry-after': '30' })),
    ];
    const hold = { refusedShare: 0, minMs: 0, maxQueueMs: 1_000 } as const;
    const { send } = moving(away.origin, { hold, hintJitter: 0 });
    await send(away.origin, { retry: { maxRetries: 0 } });
    const { error } = await settled(send(home.origin));
    expect(error).toBeInstanceOf(HeldError);
    expect(error).toMatchObject({ scope: away.origin });
    expect(away.requests).toHaveLength(1);
  });

  test('the rule, its retries and its deadline stay', async () => {
    const [home, away] = [await openLab(answer(503)), await openLab(answer(503))];
    const rules = [{ match: new URL(away.origin).host, maxRetries: 0, name: 'away' }];
    const { send, told } = moving(away.origin, { rules, maxRetries: 2, deadlineMs: 60_000 });
    await send(home.origin);
    expect(away.requests).toHaveLength(2);
    expect(told).toHaveLength(3);
  });

  describe('a scope that the rule', () => {
    test('names is kept', async () => {
      const [home, away] = [await openLab(answer(503)), await openLab(answer(200, 'ok'))];
      const { send, retrier, tokens, told } = moving(away.origin, { scope: 'shop' });
      await send(home.origin);
      expect(told).toEqual(['shop', 'shop']);
      expect(retrier.snapshot().scopes.map(({ name }) => name)).toEqual(['shop']);
      expect(tokens('shop')).toBe(10);
    });

    test('makes by a function is made anew, of the URL there', async () => {
      const [home, away] = [await openLab(answer(503)), await openLab(answer(200, 'ok'))];
      const asked: ToldRequest[] = [];
      const scope = (request: ToldRequest): string => {
        asked.push(request);
        return `${request.header('x-tenant')} at ${request.origin}`;
      };
      const { send, told } = moving(away.origin, { scope });
      await send(`${home.origin}/here`, { headers: { 'x-tenant': 'a' } });
      expect(told).toEqual([`a at ${home.origin}`, `a at ${away.origin}`]);
      expect(asked.map(({ path }) => path)).toEqual(['/here', '/there']);
    });

    test('makes by a function that throws then fails the request', async () => {
      const [home, away] = [await openLab(answer(503)), await openLab(answer(200, 'ok'))];
      const scope = ({ path }: ToldRequest): string => {
        if (path === '/there') throw new Error('of the caller');
        return 'origin';
      };
      const { send } = moving(away.origin, { scope });
      const { error } = await settled(send(home.origin));
      expect(String((error as Error).message)).toContain('of the caller');
      expect(away.requests).toHaveLength(0);
    });
  });

  test('another path at the same origin, in another spelling, moves nothing', async () => {
    const home = await openLab([answer(503), answer(200, 'ok')]);
    const { send, retrier, told } = moving(home.origin.toUpperCase());
    expect((await send(home.origin)).text).toBe('ok');
    expect(told).toEqual([home.origin, home.origin]);
    expect(retrier.snapshot().scopes).toHaveLength(1);
  });
});

function tokensIn(retrier: Retrier, scope: string): number | undefined {
  return retrier.snapshot().scopes.find(({ name }) => name === scope)?.budgets[0]?.tokens;
}
