/** Writes the page into the package; `undaunted simulate --out` and `undaunted lab` put the data into it. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { pageTemplate } from './page-template.js';

mkdirSync('dist/tools/pages', { recursive: true });
writeFileSync('dist/tools/pages/page.html', await pageTemplate());
