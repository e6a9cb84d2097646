/**
 * Measures what one policy adds to a request of axios that is answered from memory, for the parent process. A request with
 * and one without it differ by a tenth, and the machine by more than that from one second to the next: so short batches of
 * both take turns, and the differences of neighbours count.
 */

import axios, { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import { attachRetry } from '../src/adapters/axios/index.js';
import { costOf, type Measured, report, touchYoungMemory } from './apart.js';
import { policies } from './axios-service.js';
import { amountOf, median } from './measure.js';

const turns = 100;
const warmUps = amountOf(150);
const pairs = amountOf(400);

const answer = (config: InternalAxiosRequestConfig) =>
  Promise.resolve({ data: '{"ok":true}', status: 200, statusText: 'OK', headers: {}, config });
const bare = axios.create({ adapter: answer });
const instance = axios.create({ adapter: answer });
const policy = policies[process.argv[2] ?? ''];
if (policy !== undefined) attachRetry(instance, policy);

const requestsOf = (sender: AxiosInstance) => async (): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await sender.get('http://a.example/things/1');
};
const plainly = requestsOf(bare);
const retrying = requestsOf(instance);

/** What it adds to a request. */
async function added(isBareFirst: boolean): Promise<Measured> {
  const first = await costOf(isBareFirst ? plainly : retrying, turns);
  const second = await costOf(isBareFirst ? retrying : plainly, turns);
  const [least, cost] = isBareFirst ? [first, second] : [second, first];
  return { ns: cost.ns - least.ns, bytes: cost.bytes - least.bytes };
}

touchYoungMemory();
for (let warmUp = 0; warmUp < warmUps; warmUp += 1) await added(warmUp % 2 === 0);
const found: Measured[] = [];
for (let pair = 0; pair < pairs; pair += 1) found.push(await added(pair % 2 === 0));
report({ ns: median(found.map(({ ns }) => ns)), bytes: median(found.map(({ bytes }) => bytes)) });
