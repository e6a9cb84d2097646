/** The faults in this Node: what the other runtimes are compared with. */

import { failsThere } from './fails.js';
import { perform } from './guest.js';

failsThere({
  name: 'Node',
  clients: ['fetch', 'axios over fetch', 'axios over http'],
  host: () => ({ ask: perform }),
});
