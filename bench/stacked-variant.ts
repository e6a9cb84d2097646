/** Measures one way to stack around a dispatcher that answers from memory, for the parent process. */

import { contestantIn, tell } from './apart.js';
import { answerOf, memoryDispatcher, parsedAnew } from './memory-dispatcher.js';
import { contestants } from './stacked-contestants.js';

const [name, scratch = '{}'] = process.argv.slice(2);
const answer = parsedAnew(answerOf(200, 1));
const all = await contestants(
  memoryDispatcher(() => answer),
  JSON.parse(scratch),
);
const { send } = contestantIn(all, name);

await tell(async (turns) => {
  for (let turn = 0; turn < turns; turn += 1) await send('http://a.example/things/1');
}, 2_000);
