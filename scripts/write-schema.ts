/** Writes the JSON Schema of a policy file, made of the same source as the check, into the package. */

import { writeFileSync } from 'node:fs';
import { describedSchema } from './described-schema.js';

writeFileSync('dist/schema.json', `${JSON.stringify(describedSchema(), null, 2)}\n`);
