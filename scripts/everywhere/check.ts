/** One environment in which the package has to work, and how to try it there. */

export interface Check {
  /** Its name on the command line: `npm run test:everywhere -- next`. */
  readonly name: string;
  readonly proves: string;
  /** Pinned versions, so that a new failure is caused by our code. */
  readonly packages: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** How many guests ask the server, each for its own path; none: the check has its own server. */
  readonly guests?: number;
  /** Runs the check in the installed folder, with a server that answers each path with 503 first, and then with 200. */
  run(place: string, server: string): Promise<void>;
}

/** The output of every guest: a 503, and then the answer. */
export const answered = '200 after 2';

export function expectAnswers(said: string, times = 1): void {
  const found = said.split(answered).length - 1;
  if (found !== times) throw new Error(`"${answered}" is there ${found} times, not ${times}:\n${said}`);
}

const policy = `{ maxRetries: 2, schedule: { kind: 'fixed', waitMs: 10 } }`;

/** Asks through axios, with options of axios such as an adapter. */
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

/** Asks through the platform's own fetch, whose answer has to be the platform's own. */
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
