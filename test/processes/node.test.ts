/** Faults and uploads in this Node: what the other runtimes are compared with. */

import { failsThere } from '../runtimes/fails.js';
import { perform } from '../runtimes/guest.js';
import type { Runtime } from '../runtimes/runtime.js';
import { uploadsThere } from '../runtimes/uploads.js';

const here: Omit<Runtime, 'server'> = {
  name: 'Node',
  clients: ['fetch', 'axios over fetch', 'axios over http'],
  host: () => ({ ask: perform }),
};

failsThere(here);
uploadsThere(here);
