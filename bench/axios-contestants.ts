/** axios bare, under its other retry layers, and under ours: all as they come. */

import axios, { type AxiosInstance, type CreateAxiosDefaults } from 'axios';
import axiosRetry from 'axios-retry';
import * as rax from 'retry-axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import type { Compared, Row } from './measure.js';

export interface Contestant {
  readonly name: string;
  readonly instance: AxiosInstance;
}

/** The first is what the others are compared with; the second tells how much of a difference is noise. */
export function contestants(defaults: () => CreateAxiosDefaults): Contestant[] {
  const made = (name: string, attach: (instance: AxiosInstance) => unknown = () => undefined): Contestant => {
    const instance = axios.create(defaults());
    attach(instance);
    return { name, instance };
  };
  return [
    made('axios'),
    made('axios again (the noise)'),
    made('undaunted', (instance) => attachRetry(instance)),
    made('axios-retry', (instance) => axiosRetry(instance)),
    made('retry-axios', (instance) => {
      instance.defaults.raxConfig = {};
      rax.attach(instance);
    }),
  ];
}

export function rowsOf(what: string, compared: readonly Compared[]): Row[] {
  return compared.map(({ name, ns, ratio, from, to }) => ({
    name: `axios, ${what}: ${name}`,
    value: `${ratio.toFixed(3)}x`,
    note: `${(ns / 1_000).toFixed(1)} µs of CPU; half of the rounds from ${from.toFixed(3)}x to ${to.toFixed(3)}x`,
  }));
}
