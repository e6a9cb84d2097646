/** Measures one retry layer around an instance of axios that sends over loopback, for the parent process. */

import { tell } from './apart.js';
import { bare, retrying, withSockets } from './axios-contestants.js';
import { getting } from './axios-overhead.js';

const [name, origin = '', atOnce = '1'] = process.argv.slice(2);
const concurrency = Number(atOnce);

await withSockets(concurrency, async (defaults) => {
  const contestant = [...bare(defaults), ...retrying(defaults)].find((one) => one.name === name);
  if (contestant === undefined) throw new Error(`There is no contestant called "${name}"`);
  await tell((turns) => getting(contestant, origin, concurrency, turns), 160);
});
