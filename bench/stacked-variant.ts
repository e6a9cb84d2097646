/** Measures one way to stack around a dispatcher that answers from memory, for the parent process. */

import { tell } from './apart.js';
import { answerOf, memoryDispatcher } from './memory-dispatcher.js';
import { contestants } from './stacked-contestants.js';

const [name, scratch = '{}'] = process.argv.slice(2);
const answer = answerOf(200, 1);
const all = await contestants(
  memoryDispatcher(() => answer),
  JSON.parse(scratch),
);
const contestant = all.find((one) => one.name === name);
if (contestant === undefined) throw new Error(`There is no contestant called "${name}"`);
const { send } = contestant;

await tell(async (turns) => {
  for (let turn = 0; turn < turns; turn += 1) await send('http://a.example/things/1');
}, 2_000);
