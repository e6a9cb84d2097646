/** A process with more busy scopes than one round trip takes: what is urgent does not wait for the others. */

import { expect, test } from 'vitest';
import { answered, requestOf } from '../kit.js';
import type { Process } from './kit.js';
import { Fleets } from './kit.js';

const hosts: readonly string[] = Array.from({ length: 500 }, (_, index) => `https://${index}.test`);

function ask({ retrier }: Process, origin: string, status: number): string {
  const session = retrier.open(requestOf({ origin }));
  const { kind } = session.admit();
  if (kind !== 'go') session.abandon();
  else session.next(answered(status, { 'retry-after': '5' }), { replayable: true });
  return kind;
}

test('a hold is told at once by a process with 500 busy scopes', () => {
  const fleets = new Fleets({ hold: { refusedShare: 0 } }, 2);
  const [one, other] = [fleets.at(0), fleets.at(1)];
  const everyHost = (): void => {
    for (const host of hosts) for (const process of [one, other]) ask(process, host, 200);
  };
  for (let time = 0; time < 10; time += 1) {
    everyHost();
    fleets.pass(1_000);
  }
  everyHost();
  const last = hosts.at(-1) as string;
  ask(one, last, 429);
  fleets.pass(11);
  expect(ask(other, last, 200)).not.toBe('go');
});
