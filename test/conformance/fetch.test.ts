/** The scenarios through undici's fetch. */

import { withRetry } from '../../src/adapters/fetch/index.js';
import { createRetrier } from '../../src/index.js';
import { conforms } from './conform.js';
import { fetchPlay } from './fetch-play.js';
import { policyOf } from './functions.js';

conforms(
  'fetch',
  fetchPlay((scenario, ports) => createRetrier(policyOf(scenario), ports), withRetry),
);
