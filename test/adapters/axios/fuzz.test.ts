/** Random scripts of faults, bodies, hooks and aborts: how to play one again, see `fuzz`. */

import { abortsAnywhere } from '../fuzz/aborts.js';
import { credentialMilestones } from '../fuzz/credentials.js';
import { fuzz } from '../fuzz/fuzz.js';
import { hedgeMilestones } from '../fuzz/hedges.js';
import { version } from './client.js';
import { run } from './fuzz-run.js';
import { scriptOf } from './fuzz-script.js';
import { subject } from './subject.js';

fuzz({
  adapter: 'axios',
  client: `axios ${version}`,
  fewRuns: 220,
  scriptOf,
  run,
  milestones: {
    ...hedgeMilestones,
    ...credentialMilestones,
    'whole at once': ({ isWhole, arrivals }) => isWhole && arrivals.length === 1,
    'whole after a retry': ({ isWhole, arrivals }) => isWhole && arrivals.length > 1,
    failed: ({ error, atAbort }) => error !== undefined && atAbort === undefined,
    'aborted in the first attempt': ({ atAbort }) => atAbort?.decisions === 0,
    'aborted after a failure': ({ atAbort }) => (atAbort?.decisions ?? 0) > 0,
    'stream replayed': ({ call, arrivals }) => /readable/.test(call.body.form) && arrivals.length > 1,
    'write sent once': ({ call, arrivals, isWhole }) =>
      call.method === 'POST' && arrivals.length === 1 && !isWhole,
    'write sent away': ({ call, arrivals, asked }) =>
      call.method === 'POST' && !call.isKeyed && arrivals.length > asked.length,
    'write without a key retried': ({ call, asked }) =>
      call.method === 'POST' && !call.isKeyed && asked.length > 1,
    'write retried': ({ call, arrivals }) => call.method === 'POST' && arrivals.length > 1,
  },
});

abortsAnywhere(subject);
