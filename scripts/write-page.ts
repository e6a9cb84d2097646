/** Writes the page that `undaunted simulate --out` fills, into the package. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { pageTemplate } from './page-template.js';

mkdirSync('dist/pages', { recursive: true });
writeFileSync('dist/pages/page.html', await pageTemplate());
