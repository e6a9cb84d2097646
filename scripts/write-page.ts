/** Writes the page that `undaunted simulate --out` fills, into the package. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { pageTemplate } from './page-template.js';

mkdirSync('dist/tools/pages', { recursive: true });
writeFileSync('dist/tools/pages/page.html', await pageTemplate());
