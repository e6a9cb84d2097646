/** One small process: sends requests at an even rate, and tells its parent what became of them. */

import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Agent, type Dispatcher, request } from 'undici';
import { retry } from '../../src/adapters/undici/index.js';
import { type RedisClient, redisFleet } from '../../src/fleet/redis/index.js';
import { createRetrier, type RequestEvent, type Retrier } from '../../src/index.js';
import { bareChannel, type Found, type FromProcess, monotonicMs, type Plan, type ToProcess } from './plan.js';

const plan = JSON.parse(process.argv[2] ?? '') as Plan;
let found: Found = nothing();
let origin: string | undefined;

function nothing(): Found {
  return { latencies: [], sentAt: [], failed: {}, commands: 0 };
}

function tell(message: FromProcess): void {
  process.send?.(message);
}

// ---------------------------------------------------------------- its Redis

function client(): RedisClient {
  const { createClient } = createRequire(join(plan.nodeRedis, 'index.js'))('redis') as {
    createClient(options: object): RedisClient;
  };
  return watched(createClient({ url: plan.redis }));
}

/** Counts what it sends, and looks for a hold whenever Redis has spoken. */
function watched(client: RedisClient): RedisClient {
  const { sendCommand, subscribe, duplicate } = client;
  return Object.assign(client, {
    sendCommand(command: string[]): Promise<unknown> {
      found.commands += 1;
      return sendCommand.call(client, command).finally(() => setImmediate(lookForHold));
    },
    async subscribe(channel: string, listener: (message: string) => unknown): Promise<unknown> {
      await subscribe.call(client, bareChannel, (sentAt) => {
        found.bareMs = monotonicMs() - Number(sentAt);
      });
      return subscribe.call(client, channel, (message) => {
        listener(message);
        lookForHold();
      });
    },
    duplicate: () => watched(duplicate.call(client)),
  });
}

function lookForHold(): void {
  if (found.heldAt !== undefined) return;
  const scope = retrier.snapshot().scopes.find(({ name }) => name === origin);
  if (scope?.holds.some(({ forMs }) => forMs > 0)) found.heldAt = monotonicMs();
}

function sharing(): Retrier {
  const fleet = redisFleet(client(), { observe: ({ isShared }) => tell({ kind: 'fleet', isShared }) });
  return createRetrier(plan.policy, {}, { fleet });
}

// ---------------------------------------------------------------- its requests

const retrier = plan.redis === undefined ? createRetrier(plan.policy) : sharing();

const recording: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  // Others are late ones, to the server before it.
  if (options.origin === origin) found.sentAt.push(monotonicMs());
  return dispatch(options, handler);
};
const dispatcher = new Agent({ connections: 20 }).compose(recording, retry(retrier));

subscribe('undaunted:decision', (event) => {
  const told = event as RequestEvent;
  if (told.type !== 'decision' || found.refusedAt !== undefined) return;
  const { finding } = told.decision;
  if (finding.kind === 'response' && finding.status === 429) found.refusedAt = monotonicMs();
});

async function send(): Promise<void> {
  const began = monotonicMs();
  const of = found;
  try {
    const { statusCode, body } = await request(`${origin}/`, { dispatcher });
    await body.dump();
    if (statusCode >= 400) throw Object.assign(new Error(), { code: statusCode });
    of.latencies.push(monotonicMs() - began);
  } catch (error) {
    const { code, name } = error as { code?: string; name: string };
    const key = String(code ?? name);
    of.failed[key] = (of.failed[key] ?? 0) + 1;
  }
}

/** Evenly, as an open crowd does: what is late is made up for. */
function keepSending(): void {
  const everyMs = 1_000 / plan.perSecond;
  let next = monotonicMs() + Math.random() * everyMs;
  setInterval(
    () => {
      for (; next <= monotonicMs(); next += everyMs) if (origin !== undefined) void send();
    },
    Math.max(5, everyMs / 10),
  );
}

process.on('message', (message: ToProcess) => {
  if (message.kind === 'send') {
    ({ origin } = message);
    found = nothing();
  } else if (message.kind === 'rest') {
    origin = undefined;
  } else {
    tell({ kind: 'found', found });
    found = nothing();
  }
});
process.on('disconnect', () => process.exit());
keepSending();
tell({ kind: 'ready' });
