/** Measures one contestant on a fetch that answers from memory, for the parent process. */

import { tell } from './apart.js';
import { bare, copyingBy, retrying, serving, timingBy } from './fetch-contestants.js';
import type { Answered } from './fetch-overhead.js';
import { type Fetch, type Peers, peersIn } from './fetch-peers.js';

const url = 'http://a.example/things/1';

const [name, given, scratch = ''] = process.argv.slice(2);
const answered = given as Answered;
const peers: Peers =
  scratch === '' ? { scratch: { folder: '', missing: [] } } : await peersIn(JSON.parse(scratch));
const empty = Promise.resolve(new Response(null));
const headers = { 'content-type': 'application/json', 'content-length': '11' };
const fetch: Fetch =
  answered === 'empty' ? () => empty : async () => new Response('{"ok":true}', { headers });

/** Of ours, only one is made: with several around the fetch, each would look for the others. */
const contestant = (
  name?.startsWith('undaunted,') === true
    ? [serving(fetch, name)]
    : [...bare(fetch), ...retrying(fetch, peers), copyingBy(fetch), timingBy(fetch)]
).find((one) => one.name === name);
if (contestant === undefined) throw new Error(`There is no contestant called "${name}"`);
const { send } = contestant;

/** One after the other. */
async function work(turns: number): Promise<number> {
  let sum = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    const response = await send(url);
    sum += answered === 'empty' ? response.status : (await response.arrayBuffer()).byteLength;
  }
  return sum;
}

await tell(work, answered === 'empty' ? 5_000 : 500);
