/** All commands, in the order of the help. */

import type { Command } from './command.js';
import { check } from './commands/check.js';
import { demo } from './commands/demo.js';
import { explain } from './commands/explain.js';
import { lab } from './commands/lab.js';
import { outageClients } from './commands/outage-clients.js';
import { outageServer } from './commands/outage-server.js';
import { simulate } from './commands/simulate.js';
import { waits } from './commands/waits.js';

export const commands: readonly Command[] = [
  demo,
  check,
  explain,
  waits,
  outageServer,
  outageClients,
  simulate,
  lab,
];
