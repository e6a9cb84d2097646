/** Measures one policy on an instance of axios that answers from memory, for the parent process. */

import axios, { type InternalAxiosRequestConfig } from 'axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import { tell } from './apart.js';
import { policies } from './axios-service.js';

const answer = (config: InternalAxiosRequestConfig) =>
  Promise.resolve({ data: '{"ok":true}', status: 200, statusText: 'OK', headers: {}, config });
const instance = axios.create({ adapter: answer });
const policy = policies[process.argv[2] ?? ''];
if (policy !== undefined) attachRetry(instance, policy);

await tell(async (turns) => {
  for (let turn = 0; turn < turns; turn += 1) await instance.get('http://a.example/things/1');
}, 1_000);
