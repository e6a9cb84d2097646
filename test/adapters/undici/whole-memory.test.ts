/** What the answers of undici that wait for their bodies keep in memory. */

import { programsOf } from '../programs.js';
import { testsOfWholeMemory } from '../whole-memory.js';

testsOfWholeMemory(
  programsOf('undici'),
  `const agent = new client.Agent();
   const send = (url, policy) =>
     client.request(url, {
       dispatcher: policy === undefined ? agent : agent.compose(undaunted.retry(policy)),
     });`,
);
