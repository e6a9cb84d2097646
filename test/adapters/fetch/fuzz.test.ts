/** Random scripts of faults, bodies, hooks and aborts: how to play one again, see `fuzz`. */

import { abortsAnywhere } from '../fuzz/aborts.js';
import { credentialMilestones } from '../fuzz/credentials.js';
import { fuzz } from '../fuzz/fuzz.js';
import { hedgeMilestones } from '../fuzz/hedges.js';
import { version } from './client.js';
import { run } from './fuzz-run.js';
import { isReadOnce, scriptOf } from './fuzz-script.js';
import { subject } from './subject.js';

fuzz({
  adapter: 'fetch',
  client: `fetch of Node ${process.versions.node} and undici ${version}`,
  fewRuns: 200,
  scriptOf,
  run,
  milestones: {
    ...hedgeMilestones,
    ...credentialMilestones,
    'whole at once': ({ isWhole, arrivals }) => isWhole && arrivals.length === 1,
    'whole after a retry': ({ isWhole, attempts }) => isWhole && attempts > 1,
    failed: ({ seen, atAbort }) => seen.response === undefined && atAbort === undefined,
    'broken off while it was read': ({ readError, atAbort }) =>
      readError !== undefined && atAbort === undefined,
    redirected: ({ seen }) => seen.response?.redirected === true,
    'aborted in the first attempt': ({ atAbort }) => atAbort?.decisions === 0,
    'aborted after a failure': ({ atAbort }) => (atAbort?.decisions ?? 0) > 0,
    'aborted with the head there': ({ atAbort, seen }) =>
      atAbort !== undefined && seen.response !== undefined,
    'stream replayed': ({ call, arrivals }) => isReadOnce(call) && arrivals.length > 1,
    'write sent once': ({ call, arrivals, isWhole }) =>
      call.method === 'POST' && arrivals.length === 1 && !isWhole,
    'write sent away': ({ call, arrivals, asked }) =>
      call.method === 'POST' && !call.isKeyed && arrivals.length > asked.length,
    'write without a key retried': ({ call, asked }) =>
      call.method === 'POST' && !call.isKeyed && asked.length > 1,
    'write retried': ({ call, attempts }) => call.method === 'POST' && attempts > 1,
  },
});

abortsAnywhere(subject);
