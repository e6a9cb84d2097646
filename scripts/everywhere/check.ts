/** One place where the package is to work: what it takes to try it there. */

export interface Check {
  /** As it is asked for: `npm run test:everywhere -- next`. */
  readonly name: string;
  readonly proves: string;
  /** Pinned: what fails one day is to be ours. */
  readonly packages: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** How many ask the server, each for a path of its own; none: the check has a server of its own. */
  readonly guests?: number;
  /** In the folder where all that stands, with a server that answers each path 503, and then 200. */
  run(place: string, server: string): Promise<void>;
}

/** What every guest says: a 503, and then the answer. */
export const answered = '200 after 2';

export function expectAnswers(said: string, times = 1): void {
  const found = said.split(answered).length - 1;
  if (found !== times) throw new Error(`"${answered}" is there ${found} times, not ${times}:\n${said}`);
}

const policy = `{ maxRetries: 2, schedule: { kind: 'fixed', waitMs: 10 } }`;

/** Asks through axios; what it is given is axios's own, such as an adapter. */
export const axiosGuest = `
import axios from 'axios';
import { definePolicy, historyOf } from 'undaunted';
import { attachRetry } from 'undaunted/axios';

const policy = definePolicy(${policy});

export async function askAxios(server, options = {}) {
  const client = axios.create({ baseURL: server, ...options });
  attachRetry(client, policy);
  const response = await client.get('/' + Math.random());
  return response.status + ' after ' + historyOf(response)?.length;
}
`;

/** Asks through the platform's own fetch; what it gives is the platform's own answer. */
export const fetchGuest = `
import { definePolicy, historyOf } from 'undaunted';
import { withRetry } from 'undaunted/fetch';

const policy = definePolicy(${policy});

export async function askFetch(server) {
  const response = await withRetry(undefined, policy)(server + '/' + Math.random());
  if ((await response.text()) !== 'said') throw new Error('the answer has lost its body');
  return response.status + ' after ' + historyOf(response)?.length;
}
`;

export const undiciGuest = `
import { Agent, request } from 'undici';
import { definePolicy, historyOf } from 'undaunted';
import { retry } from 'undaunted/undici';

const policy = definePolicy(${policy});

export async function askUndici(server) {
  const agent = new Agent();
  const response = await request(server + '/' + Math.random(), { dispatcher: agent.compose(retry(policy)) });
  await response.body.dump();
  await agent.close();
  return response.statusCode + ' after ' + historyOf(response)?.length;
}
`;

export const clients = { axios: 'axios@1.21.1', undici: 'undici@7.30.2' } as const;
