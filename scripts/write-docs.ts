/** Writes the generated parts of the docs anew. */

import { writeFileSync } from 'node:fs';
import { pages } from './docs/pages.js';
import { regenerated } from './docs/regions.js';

for (const page of pages()) {
  const text = regenerated(page);
  if (text === page.text) continue;
  writeFileSync(page.path, text);
  console.log(`${page.path} has changed`);
}
