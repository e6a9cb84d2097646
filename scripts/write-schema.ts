/** Writes the JSON Schema of a policy file, made of the same source as the check, into the package: for editors, on one line. */

import { writeFileSync } from 'node:fs';
import { describedSchema } from './described-schema.js';

writeFileSync('dist/schema.json', `${JSON.stringify(describedSchema())}\n`);
