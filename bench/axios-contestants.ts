/** axios alone, with other retry layers, and with ours. */

import { Agent } from 'node:http';
import axios, { type AxiosInstance, type CreateAxiosDefaults } from 'axios';
import axiosRetry, { type IAxiosRetryConfig } from 'axios-retry';
import * as rax from 'retry-axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import { type PolicyOptions, presets } from '../src/index.js';

export interface Contestant {
  readonly name: string;
  readonly instance: AxiosInstance;
}

/** The options of each contestant; all others are defaults. */
export interface Manners {
  readonly ours?: PolicyOptions;
  readonly axiosRetry?: IAxiosRetryConfig;
  readonly retryAxios?: rax.RetryConfig;
}

/** The others are compared with the first; the second shows how much of a difference is noise. */
export function bare(defaults: () => CreateAxiosDefaults): Contestant[] {
  return ['bare axios', 'bare axios again (the noise)'].map((name) => ({
    name,
    instance: axios.create(defaults()),
  }));
}

/** A realistic policy beside the defaults. */
export function serving(defaults: () => CreateAxiosDefaults, more: PolicyOptions = {}): Contestant {
  const policy = { ...presets.policies.service, ...more };
  return made('undaunted, service', defaults, (instance) => attachRetry(instance, policy));
}

export function retrying(defaults: () => CreateAxiosDefaults, manners: Manners = {}): Contestant[] {
  return [
    made('undaunted', defaults, (instance) => attachRetry(instance, manners.ours)),
    made('axios-retry', defaults, (instance) => axiosRetry(instance, manners.axiosRetry)),
    made('retry-axios', defaults, (instance) => {
      instance.defaults.raxConfig = manners.retryAxios ?? {};
      rax.attach(instance);
    }),
  ];
}

function made(
  name: string,
  defaults: () => CreateAxiosDefaults,
  attach: (instance: AxiosInstance) => unknown,
): Contestant {
  const instance = axios.create(defaults());
  attach(instance);
  return { name, instance };
}

/** During a measurement, each instance made from the defaults has this many sockets of its own. */
export async function withSockets<T>(
  maxSockets: number,
  measure: (defaults: () => CreateAxiosDefaults) => Promise<T>,
): Promise<T> {
  const agents: Agent[] = [];
  const defaults = (): CreateAxiosDefaults => {
    const httpAgent = new Agent({ keepAlive: true, maxSockets });
    agents.push(httpAgent);
    return { httpAgent };
  };
  try {
    return await measure(defaults);
  } finally {
    for (const agent of agents) agent.destroy();
  }
}
