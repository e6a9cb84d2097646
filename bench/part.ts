/** One part, by its name, for the process that started this one. */

import { partsNamed } from './parts.js';

// Ctrl-C reaches this process, too: the one that started it tells what is known, and ends it.
process.on('SIGINT', () => {});

const [part] = partsNamed(process.argv.slice(2));
const rows = await part?.rows();
process.send?.(rows, () => process.disconnect());
