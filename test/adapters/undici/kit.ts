/** Shared parts of the tests in this folder. Everything opened here is closed when the test ends. */

import type { Agent, Dispatcher } from 'undici';
import { onTestFinished } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { endlessBody } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { undici } from './client.js';

export function openAgent(options?: Agent.Options): Agent {
  const agent = new undici.Agent(options);
  onTestFinished(() => agent.destroy());
  return agent;
}

/** An Agent with retry(), which gets these arguments. */
export function retryingAgent(
  given: Parameters<typeof retry>[0] = soon,
  options?: Agent.Options,
): Dispatcher {
  return openAgent(options).compose(retry(given));
}

const mebibyte = 1_048_576;
/** More than the kernel and undici together buffer for a reader that does not read. */
export const littleBytes: number = 24 * mebibyte;
export const muchBytes: number = 48 * mebibyte;

/** Another reader reads this much in the meantime, so a server that must stall has had the same chance to send. */
export async function whileAnotherReads(): Promise<void> {
  const lab = await openLab(endlessBody(mebibyte));
  const { body } = await openAgent().request({ origin: lab.origin, path: '/', method: 'GET' });
  body.on('error', () => undefined).resume();
  await lab.until(({ bytesSent }) => bytesSent > muchBytes);
  body.destroy();
}

/** A promise that is settled from outside. (`Promise.withResolvers` is newer than Node 20.) */
export class Deferred<T = void> {
  resolve: (value: T) => void = () => undefined;
  reject: (reason: unknown) => void = () => undefined;
  readonly promise: Promise<T>;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** What a caller hears that aborts once it has the head. */
export async function toldAfterAbortAtHead(
  dispatcher: Dispatcher,
  origin: string,
): Promise<readonly string[]> {
  const told: string[] = [];
  await new Promise<void>((resolve) => {
    const handler = {
      onRequestStart: () => undefined,
      onResponseStart: (controller: { abort(reason: Error): void }) => {
        told.push('head');
        controller.abort(new Error('enough'));
      },
      onResponseData: () => void told.push('data'),
      onResponseEnd: () => void told.push('end'),
      onResponseError: (_controller: unknown, error: unknown) => {
        told.push(String(error));
        setImmediate(resolve);
      },
    };
    dispatcher.dispatch({ origin, path: '/', method: 'GET' }, handler as never);
  });
  return told;
}
