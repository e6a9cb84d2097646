/** Prints one table. Every figure of the README that names this command comes from here. */

import { benchDeciding } from './deciding.js';
import { benchMatching } from './matching.js';
import type { Row } from './measure.js';
import { benchSucceeding } from './succeeding.js';
import { benchUndiciOverhead } from './undici-overhead.js';
import { benchUndiciSockets } from './undici-sockets.js';

const parts: readonly (() => readonly Row[] | Promise<readonly Row[]>)[] = [
  benchUndiciOverhead,
  benchUndiciSockets,
  benchDeciding,
  benchSucceeding,
  benchMatching,
];
const rows: Row[] = [];
for (const part of parts) rows.push(...(await part()));
const width = Math.max(...rows.map(({ name }) => name.length));
console.log(`Node ${process.version}, ${process.arch}\n`);
for (const { name, value, note = '' } of rows) {
  console.log(`${name.padEnd(width)}  ${value.padStart(16)}  ${note}`);
}
