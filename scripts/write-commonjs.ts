/** Says that `dist/cjs` is CommonJS, and that bundlers may leave out of it what nothing uses. */

import { writeFileSync } from 'node:fs';

writeFileSync('dist/cjs/package.json', '{ "type": "commonjs", "sideEffects": false }\n');
