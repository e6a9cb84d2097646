/** Callers who leave at any moment, whatever the policy and the server: see `abortsAnywhere`. */

import { abortsAnywhere } from '../fuzz/aborts.js';
import { subject } from './subject.js';

abortsAnywhere(subject);
