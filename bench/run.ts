/** Prints one table. Every figure of the README that names this command comes from here. */

import { benchDeciding } from './deciding.js';
import { benchMatching } from './matching.js';
import type { Row } from './measure.js';
import { benchSucceeding } from './succeeding.js';

const rows: Row[] = [...benchDeciding(), ...benchSucceeding(), ...benchMatching()];
const width = Math.max(...rows.map(({ name }) => name.length));
console.log(`Node ${process.version}, ${process.arch}\n`);
for (const { name, value, note = '' } of rows) {
  console.log(`${name.padEnd(width)}  ${value.padStart(16)}  ${note}`);
}
