/**
 * With its retries off, a request is the one that undici would have made: the same bytes on the wire, the same end for
 * the caller and for its upload. So it is where they are on and none is called for. Each shape is made with the bare
 * client and with retry() over it; where they differ on purpose, the README says so.
 */

import type { Dispatcher } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import { groups, nameOf, type Shape } from './differential-shapes.js';
import { type Client, play, type Seen } from './differential-stage.js';

const bare: Client = { over: (agent) => agent };

const composed = (policy: PolicyOptions) => (agent: Dispatcher) => agent.compose(retry(policy));

const willing: Client = { over: composed({ methods: [], unsafeMethods: 'never' }) };

const clients: readonly (readonly [name: string, client: Client])[] = [
  ['retry: false', { over: composed({ retry: false }), options: { retry: false } }],
  ['maxRetries: 0', { over: composed({ maxRetries: 0 }) }],
  ['retries that nothing calls for', willing],
];

/** What was thrown where nobody catches it. */
const uncaught: string[] = [];
const note = (error: unknown): void => void uncaught.push(String(error));
const events = ['uncaughtException', 'unhandledRejection'] as const;
const others = events.map((event) => [event, process.listeners(event as 'uncaughtException')] as const);

beforeAll(() => {
  for (const event of events) process.removeAllListeners(event).on(event, note);
});

afterAll(() => {
  for (const [event, listeners] of others) {
    process.removeAllListeners(event);
    for (const listener of listeners) process.on(event, listener);
  }
});

/** Several at a time. */
async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  const lane = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

/** As the README has it, where that is not quite what it is without retry(). */
function expected({ api, event, answer, source, contentLength }: Shape, seen: Seen, isKept: boolean): Seen {
  // An abort acts at once, and does not wait for a connection.
  if (event === 'abort before' && api !== 'fetch') return { ...seen, connections: 0 };
  // The caller's handler is started at once, too.
  if (api === 'dispatch' && event === 'source breaks at once') {
    const callers = (seen.callers as { calls: string[] }[]).map((caller) => ({
      ...caller,
      calls: ['start', ...caller.calls],
    }));
    return { ...seen, callers };
  }
  // A stream of which everything was read has ended, whatever becomes of the request then.
  const isReadEarly = source === 'stream without a byte' && answer === 'refused port';
  const failsAtItsEnd = source === 'PassThrough filled later' && contentLength === '4';
  if (isKept && (isReadEarly || failsAtItsEnd)) {
    const ended = { readableEnded: true, events: ['end', 'close'] };
    return { ...seen, sources: seen.sources.map((each) => ({ ...(each as object), ...ended })) };
  }
  return seen;
}

/** The lines that are not the same, each with its sign. */
function differencesOf(before: Seen, after: Seen): string {
  const lines = (seen: Seen): string[] => JSON.stringify(seen, undefined, 1).split('\n');
  const [were, are] = [lines(before), lines(after)];
  if (were.join() === are.join()) return '';
  const gone = were.filter((line) => !are.includes(line)).map((line) => `-${line}`);
  const added = are.filter((line) => !were.includes(line)).map((line) => `+${line}`);
  return ['not the same:', ...gone, ...added].join('\n');
}

test.each(groups)('the same with and without retry(): %s', async (_name, shapes) => {
  const differences: string[] = [];
  await each(shapes, async (shape) => {
    const without = await play(shape, bare);
    for (const [name, client] of clients) {
      const before = expected(shape, without, client === willing);
      const seen = await play(shape, client, before.pipelined);
      // At least: that nothing more came, a slow machine cannot know.
      const after = { ...seen, pipelined: Math.min(seen.pipelined, before.pipelined) };
      const difference = differencesOf(before, after);
      if (difference !== '') differences.push(`${nameOf(shape)}; ${name}:\n${difference}`);
    }
  });
  expect(differences).toEqual([]);
  expect(uncaught).toEqual([]);
});
