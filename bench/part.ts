/** One part, by its name, for the process that started this one. */

import { partsNamed } from './parts.js';

const [part] = partsNamed(process.argv.slice(2));
const rows = await part?.rows();
process.send?.(rows, () => process.disconnect());
