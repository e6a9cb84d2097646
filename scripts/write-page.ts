/** Writes the page into the package; `undaunted simulate --out` and `undaunted lab` put the data into it. */

import { writeFileSync } from 'node:fs';
import { pageTemplate } from './page-template.js';

writeFileSync('dist/page.html', await pageTemplate());
