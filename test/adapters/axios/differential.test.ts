/**
 * With its retries off, a request is the one that axios would have made: the same bytes on the wire, the same connections,
 * the same end for the caller and for its upload. So it is where they are on and none is called for. Each shape is made
 * with a bare instance and with attachRetry() on it; where they differ on purpose, the README says so.
 */

import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import type { PolicyOptions } from '../../../src/index.js';
import { groups, isKnown, nameOf, type Shape } from './differential-shapes.js';
import { type Client, play, type Seen } from './differential-stage.js';

const bare: Client = { attach: () => undefined };

function attached(policy: PolicyOptions, options = {}): Client {
  return { attach: (instance) => attachRetry(instance, policy), options };
}

const off: readonly (readonly [string, Client])[] = [
  ['retry: false', attached({}, { retry: false })],
  ['maxRetries: 0', attached({ maxRetries: 0 })],
];

const willing = attached({ methods: [], unsafeMethods: 'never' });

/** Of a stream that may have to be sent again, something is kept, and it is closed at the end. */
function clientsFor(shape: Shape): typeof off {
  const isAsked = isKnown(shape) && shape.setting === undefined && shape.event === undefined;
  return isAsked ? [...off, ['on, for nothing', willing]] : off;
}

const uncaught: string[] = [];
const notice = (error: unknown): void => void uncaught.push(String(error));

/** What was not caught until now. */
async function takeUncaught(): Promise<readonly string[]> {
  await setTimeout(10);
  return uncaught.splice(0);
}

beforeAll(() => {
  process.on('uncaughtException', notice);
  process.on('unhandledRejection', notice);
});
afterAll(() => {
  process.off('uncaughtException', notice);
  process.off('unhandledRejection', notice);
});

/** Where a machine is so busy that a time is up before anything is sent, there is more of it in the next turn. */
const longerTimeoutsMs = [500, 5_000];

/** Who gives up, or is given up, may have been heard of or not: what chance decides does not come three times. */
async function lastingDifferences(shape: Shape, first: Seen, client: Client): Promise<string[]> {
  let found = differencesOf(first, await play(shape, client));
  for (const timeoutMs of longerTimeoutsMs) {
    if (found.length === 0) break;
    found = differencesOf(await play(shape, bare, timeoutMs), await play(shape, client, timeoutMs));
  }
  return found;
}

/** What is not the same, and where. */
function differencesOf(before: unknown, after: unknown, path = ''): string[] {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differencesOf(before[key], after[key], `${path}.${key}`));
  }
  const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
  return was === is ? [] : [`${path}: ${is} instead of ${was}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  const lane = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

describe.each(groups)('%s', (_name, shapes) => {
  // Older versions of axios leave some requests hanging, and each of them is given ten seconds.
  test('are the same', { timeout: 120_000 }, async () => {
    const differences: string[] = [];
    const before = new Map<Shape, Seen>();
    await each<Shape>(shapes, async (shape) => void before.set(shape, await play(shape, bare)));
    // Node 26 itself throws where a fetch is given up while its upload is being read.
    const known = new Set(await takeUncaught());
    await each<Shape>(shapes, async (shape) => {
      const first = before.get(shape) as Seen;
      for (const [name, client] of clientsFor(shape)) {
        const found = await lastingDifferences(shape, first, client);
        if (found.length > 0) differences.push([`${nameOf(shape)}; ${name}:`, ...found].join('\n'));
      }
    });
    expect(differences).toEqual([]);
    expect((await takeUncaught()).filter((error) => !known.has(error))).toEqual([]);
  });
});
