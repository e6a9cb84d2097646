/** Instances for the tests in this folder. Everything opened here is closed when the test ends. */

import { Agent } from 'node:http';
import type { AxiosInstance, AxiosStatic, CreateAxiosDefaults } from 'axios';
import { onTestFinished } from 'vitest';
import { attachRetry } from '../../../src/adapters/axios/index.js';
import { soon } from '../kit.js';
import { axios } from './client.js';

/** An instance, of the CommonJS build unless told otherwise, with connections of its own. */
export function openInstance(defaults: CreateAxiosDefaults = {}, build: AxiosStatic = axios): AxiosInstance {
  const httpAgent = new Agent({ keepAlive: true });
  onTestFinished(() => httpAgent.destroy());
  return build.create({ httpAgent, ...defaults });
}

/** The same with retries, which get these arguments. */
export function retryingInstance(
  given: Parameters<typeof attachRetry>[1] = soon,
  defaults?: CreateAxiosDefaults,
): AxiosInstance {
  const instance = openInstance(defaults);
  attachRetry(instance, given);
  return instance;
}
