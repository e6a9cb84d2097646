/** Writes the picture of an outage that the README shows. */

import { writeFileSync } from 'node:fs';
import { outagePicture } from './outage-picture.js';

writeFileSync('docs/outage.svg', outagePicture());
