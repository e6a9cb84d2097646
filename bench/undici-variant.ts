/**
 * Measures one variant of an undici dispatcher that answers from memory, for the parent process. Each variant has a
 * process of its own: what one makes the compiler believe, the next one would pay for. Nothing forces a collection before
 * the time is measured, since that throws optimised code away.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { retry } from '../src/adapters/undici/index.js';
import { reportCost, touchYoungMemory } from './apart.js';
import { amountOf, cpuSince } from './measure.js';
import {
  answerOf,
  CountingHandler,
  countingHandler,
  headersOfNode,
  LateDispatcher,
  memoryAgent,
  memoryDispatcher,
  parsedAnew,
} from './memory-dispatcher.js';
import { passThrough, policies, retrying } from './undici-contestants.js';
import { manyChunks, type Variant } from './undici-variants.js';

const options: Dispatcher.DispatchOptions = {
  origin: 'http://a.example',
  path: '/things/1',
  method: 'GET',
  headers: { accept: '*/*' },
};
const warmUps = amountOf(30);
const batches = amountOf(40);

/** So many are out at the same time, if the answers come later. */
const atOnce = 16;

const [variant = 'bare', chunks = '1', isLate = 'false', byAgent = 'false'] = process.argv.slice(2);
const isByAgent = byAgent === 'true';
// An Agent and its handlers take longer than what is measured: a tenth of the requests shows it as well.
const requests = isByAgent ? 2_000 : 20_000;
const turns = chunks === '1' ? requests : requests / manyChunks;
const short = isByAgent ? parsedAnew(answerOf(200, 1, headersOfNode)) : answerOf(200, 1);
const long = chunks === '1' ? short : answerOf(200, Number(chunks));
let answer = short;
const late = isLate === 'true' ? new LateDispatcher(short) : undefined;
const dispatcher = dispatcherOf(
  variant as Variant,
  (late as unknown as Dispatcher | undefined) ?? (isByAgent ? memoryAgent : memoryDispatcher)(() => answer),
);

function dispatcherOf(name: Variant, bare: Dispatcher): Dispatcher {
  if (name === 'bare') return bare;
  if (name === 'an interceptor that does nothing') return passThrough(() => bare).dispatcher;
  if (name in policies) return bare.compose(retry(policies[name as keyof typeof policies]));
  const named = retrying(() => bare).find((contestant) => contestant.name === name);
  if (named === undefined) throw new Error(`There is no variant called "${name}"`);
  return named.dispatcher;
}

function send(count: number): void {
  for (let turn = 0; turn < count; turn += 1) {
    const handler = isByAgent ? countingHandler() : new CountingHandler();
    dispatcher.dispatch(options, handler as never);
  }
}

async function work(count: number): Promise<void> {
  if (late === undefined) send(count);
  else
    for (let begun = 0; begun < count; begun += atOnce) {
      send(atOnce);
      await nextTurn();
      late.answerAll();
    }
}

async function valuesOf(measureOne: () => Promise<number>): Promise<readonly number[]> {
  const values: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    values.push(await measureOne());
    await nextTurn();
  }
  return values;
}

async function nsOfOne(): Promise<number> {
  const started = process.cpuUsage();
  await work(turns);
  return cpuSince(started) / turns;
}

async function bytesOfOne(): Promise<number> {
  const before = process.memoryUsage().heapUsed;
  await work(turns);
  return (process.memoryUsage().heapUsed - before) / turns;
}

async function warmUp(count: number): Promise<void> {
  for (let batch = 0; batch < warmUps; batch += 1) {
    await work(count);
    await nextTurn();
  }
}

touchYoungMemory();
await warmUp(requests);
// A few requests with many chunks would not be enough to compile what a request does once.
answer = long;
if (long.chunks > 1) await warmUp(turns);
reportCost(await valuesOf(nsOfOne), await valuesOf(bytesOfOne));
