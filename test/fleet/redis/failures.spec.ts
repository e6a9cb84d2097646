/** What may happen to Redis and its connection while retriers share: requests go on, nothing grows, and they share again. */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Retrier } from '../../../src/index.js';
import type { Client } from './node-redis.js';
import {
  aClient,
  admission,
  anAdmin,
  aRetrier,
  aServer,
  cleanUps,
  ends,
  fine,
  holding,
  isShared,
  keepsBusy,
  refused,
  until,
} from './stage.js';

type Refusing = (admin: Client) => Promise<unknown>;

const refusals: readonly (readonly [string, Refusing, Refusing])[] = [
  [
    'has no memory left',
    (admin) => admin.sendCommand(['CONFIG', 'SET', 'maxmemory', '1']),
    (admin) => admin.sendCommand(['CONFIG', 'SET', 'maxmemory', '0']),
  ],
  [
    'has become a replica',
    (admin) => admin.sendCommand(['REPLICAOF', '127.0.0.1', '1']),
    (admin) => admin.sendCommand(['REPLICAOF', 'NO', 'ONE']),
  ],
];

describe('a Redis that refuses', () => {
  test.each(refusals)('since it %s', async (_why, begin, over) => {
    const server = await aServer();
    const admin = await anAdmin(server);
    const retrier = aRetrier(aClient(server.url), holding);
    keepsBusy(retrier);
    await until(() => isShared(retrier));
    await begin(admin);
    await until(() => !isShared(retrier));
    expect(admission(retrier)).toBe('go');
    await over(admin);
    await until(() => isShared(retrier));
  });

  test('because a script of another client does not end', async () => {
    const server = await aServer('--busy-reply-threshold', '100');
    const [endless, admin] = [await anAdmin(server), await anAdmin(server)];
    const retrier = aRetrier(aClient(server.url), holding);
    keepsBusy(retrier);
    await until(() => isShared(retrier));
    endless.sendCommand(['EVAL', 'while true do end', '0']).catch(() => undefined);
    await until(() => !isShared(retrier));
    expect(admission(retrier)).toBe('go');
    await admin.sendCommand(['SCRIPT', 'KILL']);
    await until(() => isShared(retrier));
  });

  test('since its password was changed', async () => {
    const server = await aServer('--requirepass', 'old');
    const admin = aClient(server.url, { password: 'old' });
    admin.on('error', () => undefined);
    await admin.connect();
    const retrier = aRetrier(aClient(server.url, { password: 'old' }), holding);
    keepsBusy(retrier);
    await until(() => isShared(retrier));
    await admin.sendCommand(['CONFIG', 'SET', 'requirepass', 'new']);
    const kill = (type: string): Promise<unknown> =>
      admin.sendCommand(['CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes']);
    await kill('normal');
    await kill('pubsub');
    await until(() => !isShared(retrier));
    expect(admission(retrier)).toBe('go');
    await admin.sendCommand(['CONFIG', 'SET', 'requirepass', 'old']);
    await until(() => isShared(retrier));
  });
});

/** Stands between a client and its Redis. */
class Cable {
  private readonly sockets: Set<Socket> = new Set();
  private readonly server;
  isCut = false;

  constructor(port: number) {
    this.server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const socket of [near, far]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          near.destroy();
          far.destroy();
        });
      }
      if (this.isCut) near.destroy();
      near.pipe(far).pipe(near);
    });
  }

  async laid(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    cleanUps.push(async () => {
      this.cut();
      this.server.close();
    });
    return `redis://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }
}

test('a connection that is cut again and again is made again, and the fleet is one', async () => {
  const server = await aServer();
  const cable = new Cable(server.port);
  const near = aRetrier(aClient(await cable.laid()), holding);
  const far = aRetrier(aClient(server.url), holding);
  keepsBusy(near);
  keepsBusy(far);
  for (let time = 0; time < 2; time += 1) {
    await until(() => isShared(near) && isShared(far));
    cable.cut();
    await until(() => !isShared(near));
    expect(admission(near)).toBe('go');
    cable.isCut = false;
  }
  await until(() => isShared(near));
  // News come again, too.
  await sleep(1_000);
  ends(far, refused);
  await until(() => admission(near) !== 'go');
});

describe('while Redis is stopped under load', () => {
  test('nothing grows: commands that are out, timers, listeners', async () => {
    const server = await aServer();
    const client = aClient(server.url);
    let out = 0;
    let most = 0;
    const { sendCommand } = client;
    client.sendCommand = (command) => {
      out += 1;
      most = Math.max(most, out);
      return sendCommand.call(client, command).finally(() => {
        out -= 1;
      });
    };
    const retrier = aRetrier(client, { gate: true, hold: true });
    keepsBusy(retrier);
    await until(() => isShared(retrier));
    server.pause();
    await until(() => !isShared(retrier));
    const before = sizes(client);
    for (let request = 0; request < 20_000; request += 1) ends(retrier, request % 7 === 0 ? failed : fine);
    await sleep(3_000);
    expect(most).toBeLessThanOrEqual(4);
    for (const [index, size] of sizes(client).entries())
      expect(size).toBeLessThanOrEqual((before[index] ?? 0) + 3);
    server.goOn();
    await until(() => isShared(retrier));
    await until(() => out === 0);
  });
});

const failed = { kind: 'response', status: 503, headers: {} } as const;

/** Timers that wait in this process, and listeners of the client. */
function sizes(client: Client): number[] {
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const emitter = client as unknown as { eventNames(): string[]; listenerCount(name: string): number };
  const listeners = emitter.eventNames().map((name) => emitter.listenerCount(name));
  return [timers, ...listeners];
}

function unreadable(retrier: Retrier): number {
  return retrier.snapshot().fleet?.unreadable ?? Number.NaN;
}

const shape =
  '"limit":"hold","firsts":0,"refusals":0,"successes":0,"sent":0,"turn":1,"dueAt":0,"share":0,"restMs":0,"until":0,"pacedSince":0,"places":0';
const garbage: readonly (readonly [string, readonly string[]])[] = [
  ['a list', ['RPUSH', 'KEY', 'one']],
  ['no JSON', ['SET', 'KEY', 'what is this']],
  ['JSON of something else', ['SET', 'KEY', '[1,2,3]']],
  ['a record with fields missing', ['SET', 'KEY', '{"limit":"hold"}']],
  [
    'a record of another limit',
    ['SET', 'KEY', `{${shape},"spacingMs":0,"phase":"free","nextPlace":0,"free":{},"limit":"gate"}`],
  ],
  [
    'a phase that there is not',
    ['SET', 'KEY', `{${shape},"spacingMs":1,"phase":"mad","nextPlace":0,"free":{}}`],
  ],
  [
    'numbers without end',
    ['SET', 'KEY', `{${shape},"spacingMs":1e-320,"phase":"paced","nextPlace":1e999,"free":{}}`],
  ],
  [
    'numbers that are too large to count',
    ['SET', 'KEY', `{${shape},"spacingMs":50,"phase":"paced","nextPlace":1e77,"free":{}}`],
  ],
  ['brackets without end', ['SET', 'KEY', '['.repeat(100_000)]],
  ['something huge', ['SET', 'KEY', JSON.stringify('x'.repeat(5_000_000))]],
];

describe('garbage', () => {
  test.each(garbage)('in a key is ignored, counted and replaced: %s', async (_what, command) => {
    const server = await aServer();
    const admin = await anAdmin(server);
    const retrier = aRetrier(aClient(server.url), { ...holding, budget: false });
    ends(retrier, fine);
    await until(() => isShared(retrier));
    const [key = ''] = (await admin.sendCommand(['KEYS', 'undaunted:*'])) as string[];
    // In one step: a report of the fleet in between would find no key, and write one.
    const garbling = "redis.call('DEL', KEYS[1]) return redis.call(unpack(ARGV))";
    await admin.sendCommand([
      'EVAL',
      garbling,
      '1',
      key,
      ...command.map((part) => (part === 'KEY' ? key : part)),
    ]);
    ends(retrier, fine);
    await until(() => unreadable(retrier) === 1);
    await until(async () => String(await admin.sendCommand(['GET', key])).startsWith('{'));
    expect(isShared(retrier)).toBe(true);
    // And it goes on from there.
    ends(retrier, refused);
    await until(async () => String(await admin.sendCommand(['GET', key])).includes('"phase":"obeyed"'));
    expect(unreadable(retrier)).toBe(1);
  });

  test.each([
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['facts of no record', '{"facts":{"limit":"hold"}}'],
    ['a key of others', '{"key":"elsewhere","facts":{"limit":"hold"}}'],
    ['brackets without end', '['.repeat(200_000)],
    ['something huge', JSON.stringify({ key: 'x'.repeat(3_000_000) })],
  ])('on the channel is ignored and counted: %s', async (_what, message) => {
    const server = await aServer();
    const admin = await anAdmin(server);
    const retrier = aRetrier(aClient(server.url), holding);
    ends(retrier, fine);
    await until(() => isShared(retrier));
    await until(
      async () => Number(await admin.sendCommand(['PUBLISH', 'undaunted:{1}:news', message])) === 1,
    );
    await until(() => unreadable(retrier) === 1);
    expect(admission(retrier)).toBe('go');
    expect(isShared(retrier)).toBe(true);
  });
});

test('after the caller has closed the client, the fleet goes on alone and asks nothing more', async () => {
  const server = await aServer();
  const admin = await anAdmin(server);
  const client = aClient(server.url);
  const retrier = aRetrier(client, holding);
  keepsBusy(retrier);
  await until(() => isShared(retrier));
  await (client.close === undefined ? client.quit() : client.close());
  await until(() => !isShared(retrier));
  expect(admission(retrier)).toBe('go');
  // The connection for news has ended with it.
  await until(
    async () =>
      String(await admin.sendCommand(['CLIENT', 'LIST']))
        .trim()
        .split('\n').length === 1,
  );
  await sleep(3_000);
  expect(client.isOpen).toBe(false);
});
