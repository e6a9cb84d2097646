/** Measures one part, given by name, for the parent process. */

import { partsNamed } from './parts.js';

// Ctrl-C reaches this process, too, but its parent prints what is known and ends it.
process.on('SIGINT', () => {});

const [part] = partsNamed(process.argv.slice(2));
const rows = await part?.rows();
process.send?.(rows, () => process.disconnect());
