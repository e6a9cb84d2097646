/**
 * What a retry layer costs a request of axios that succeeds at once: on an adapter that answers from memory, and
 * over loopback. Its peers, ours and axios itself take turns in one run; axios a second time is the noise.
 */

import axios, { type AxiosInstance, type CreateAxiosDefaults, type InternalAxiosRequestConfig } from 'axios';
import axiosRetry from 'axios-retry';
import * as rax from 'retry-axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import type { AsyncSubject, Row } from './measure.js';
import { measureAsync } from './measure.js';

interface Contestant {
  readonly name: string;
  readonly instance: AxiosInstance;
}

function contestants(defaults: CreateAxiosDefaults): Contestant[] {
  const made = (name: string, attach: (instance: AxiosInstance) => unknown = () => undefined): Contestant => {
    const instance = axios.create(defaults);
    attach(instance);
    return { name, instance };
  };
  return [
    made('axios'),
    made('axios again'),
    made('undaunted', (instance) => attachRetry(instance)),
    made('axios-retry', (instance) => axiosRetry(instance)),
    made('retry-axios', (instance) => {
      instance.defaults.raxConfig = {};
      rax.attach(instance);
    }),
  ];
}

function rows(
  what: string,
  subjects: readonly AsyncSubject[],
  measured: readonly { ns: number; spread: number }[],
): Row[] {
  const [bare = { ns: Number.NaN }] = measured;
  return subjects.map(({ name }, index) => {
    const { ns, spread } = measured[index] ?? { ns: Number.NaN, spread: 0 };
    const note = `${(ns / 1_000).toFixed(1)} µs, half of the rounds within ${(spread * 100).toFixed(1)} %`;
    return { name: `${what}: ${name}`, value: `${(ns / bare.ns).toFixed(3)}x`, note };
  });
}

export async function benchAxiosOverhead(): Promise<Row[]> {
  const answer = (config: InternalAxiosRequestConfig) =>
    Promise.resolve({ data: 'hello', status: 200, statusText: 'OK', headers: {}, config });
  const subjects = contestants({ adapter: answer }).map(({ name, instance }) => ({
    name,
    async work(turns: number): Promise<number> {
      let sum = 0;
      for (let turn = 0; turn < turns; turn += 1)
        sum += (await instance.get('http://a.example/things/1')).status;
      return sum;
    },
  }));
  return rows('axios, from memory', subjects, await measureAsync(subjects, 2_000));
}
