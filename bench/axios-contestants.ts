/** axios bare, under its other retry layers, and under ours. */

import { Agent } from 'node:http';
import axios, { type AxiosInstance, type CreateAxiosDefaults } from 'axios';
import axiosRetry, { type IAxiosRetryConfig } from 'axios-retry';
import * as rax from 'retry-axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import type { PolicyOptions } from '../src/index.js';

export interface Contestant {
  readonly name: string;
  readonly instance: AxiosInstance;
}

/** What each is told; as they come without it. */
export interface Manners {
  readonly ours?: PolicyOptions;
  readonly axiosRetry?: IAxiosRetryConfig;
  readonly retryAxios?: rax.RetryConfig;
}

/** The first is what the others are compared with; the second tells how much of a difference is noise. */
export function bare(defaults: () => CreateAxiosDefaults): Contestant[] {
  return ['bare axios', 'bare axios again (the noise)'].map((name) => ({
    name,
    instance: axios.create(defaults()),
  }));
}

export function retrying(defaults: () => CreateAxiosDefaults, manners: Manners = {}): Contestant[] {
  const made = (name: string, attach: (instance: AxiosInstance) => unknown): Contestant => {
    const instance = axios.create(defaults());
    attach(instance);
    return { name, instance };
  };
  return [
    made('undaunted', (instance) => attachRetry(instance, manners.ours)),
    made('axios-retry', (instance) => axiosRetry(instance, manners.axiosRetry)),
    made('retry-axios', (instance) => {
      instance.defaults.raxConfig = manners.retryAxios ?? {};
      rax.attach(instance);
    }),
  ];
}

/** Each instance that is made of the defaults has so many sockets of its own, for as long as something is measured. */
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
