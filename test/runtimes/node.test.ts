/** Faults and uploads in this Node: what the other runtimes are compared with. */

import { failsThere } from './fails.js';
import { perform } from './guest.js';
import type { Runtime } from './runtime.js';
import { uploadsThere } from './uploads.js';

const here: Omit<Runtime, 'server'> = {
  name: 'Node',
  clients: ['fetch', 'axios over fetch', 'axios over http'],
  host: () => ({ ask: perform }),
};

failsThere(here);
uploadsThere(here);
