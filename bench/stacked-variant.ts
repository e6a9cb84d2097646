/** Measures one way to stack, for the parent process: over loopback if an origin is given, or else from memory. */

import { contestantIn, tell } from './apart.js';
import { inLines } from './lines.js';
import { answerOf, memoryDispatcher, parsedAnew } from './memory-dispatcher.js';
import { atATime } from './stacked.js';
import { contestants } from './stacked-contestants.js';
import { undici } from './undici-under-test.js';

const [name, scratch = '{}', origin] = process.argv.slice(2);
const answer = parsedAnew(answerOf(200, 1));
const dispatcher =
  origin === undefined
    ? memoryDispatcher(() => answer)
    : new undici.Agent({ connections: atATime, keepAliveTimeout: 300_000 });
const { send } = contestantIn(await contestants(dispatcher, JSON.parse(scratch)), name);

if (origin === undefined) {
  await tell(async (turns) => {
    for (let turn = 0; turn < turns; turn += 1) await send('http://a.example/things/1');
  }, 2_000);
} else await tell((turns) => inLines(atATime, turns, () => send(origin)), 800);
