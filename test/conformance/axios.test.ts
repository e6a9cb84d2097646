/** The scenarios through axios. */

import { attachRetry } from '../../src/adapters/axios/index.js';
import { createRetrier } from '../../src/index.js';
import { axiosPlay } from './axios-play.js';
import { conforms } from './conform.js';
import { policyOf } from './functions.js';

conforms(
  'axios',
  axiosPlay((scenario, ports) => createRetrier(policyOf(scenario), ports), attachRetry),
);
