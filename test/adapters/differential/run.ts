/** Makes each request of a differential run with the bare client and with retries over it, and compares them. */

import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface Run<Shape, Client, Seen> {
  readonly groups: readonly (readonly [name: string, shapes: readonly Shape[]])[];
  readonly nameOf: (shape: Shape) => string;
  readonly bare: Client;
  readonly clientsFor: (shape: Shape) => readonly (readonly [name: string, client: Client])[];
  readonly play: (shape: Shape, client: Client) => Promise<Seen>;
  /** Plays it with this client, and returns the differences from the bare one. */
  readonly differences: (shape: Shape, without: Seen, client: Client) => Promise<readonly string[]>;
  /** The number of requests at once. */
  readonly lanes: number;
  /** Whether the bare client itself may cause uncaught exceptions. */
  readonly mayThrow?: boolean;
}

export function declareRun<Shape, Client, Seen>(run: Run<Shape, Client, Seen>): void {
  const { bare, clientsFor, lanes, mayThrow = false, nameOf, play } = run;
  const takeUncaught = watchUncaught();

  // Older clients leave some requests pending, and each of these runs to its time limit.
  test.each(run.groups)('the same with and without retries: %s', { timeout: 120_000 }, async (_, shapes) => {
    const found: string[] = [];
    const seen = new Map<Shape, Seen>();
    await each(shapes, lanes, async (shape) => void seen.set(shape, await play(shape, bare)));
    const known = await takeUncaught();
    if (!mayThrow) expect(known).toEqual([]);
    await each(shapes, lanes, async (shape) => {
      for (const [name, client] of clientsFor(shape)) {
        let differences = await run.differences(shape, seen.get(shape) as Seen, client);
        // The bare client itself sometimes uses a connection more or less: then it is asked again.
        if (differences.length > 0)
          differences = await run.differences(shape, await play(shape, bare), client);
        if (differences.length > 0) found.push([`${nameOf(shape)}; ${name}:`, ...differences].join('\n'));
      }
    });
    expect(found).toEqual([]);
    expect((await takeUncaught()).filter((error) => !known.includes(error))).toEqual([]);
  });
}

/** Collects uncaught exceptions: they do not end the run, and a test asks for them. */
function watchUncaught(): () => Promise<readonly string[]> {
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
  return async () => {
    await setTimeout(10);
    return uncaught.splice(0);
  };
}

async function each<Item>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const lane = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
