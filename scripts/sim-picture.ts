/** Writes the README's picture. */

import { writeFileSync } from 'node:fs';
import { outagePicture } from './outage-picture.js';

writeFileSync('fixtures/outage.svg', outagePicture());
