/** What the settings of one policy ask about an answer is not taken for what those of another do. */

import { expect, test } from 'vitest';
import { retry } from '../../../src/adapters/undici/index.js';
import { answer } from '../../faults/lab.js';
import { openLab, soon } from '../kit.js';
import { openAgent } from './kit.js';

test('requests of several policies take turns', async () => {
  const lab = await openLab(answer(200));
  const plain = openAgent().compose(retry(soon));
  const asking = openAgent().compose(retry({ ...soon, maxRetries: 1, retryIf: () => true }));
  const retrying = openAgent().compose(retry({ ...soon, maxRetries: 2, statuses: [200] }));
  const sent: number[] = [];
  for (const agent of [plain, asking, plain, retrying, plain, asking]) {
    const before = lab.requests.length;
    const response = await agent.request({ origin: lab.origin, path: '/', method: 'GET' });
    await response.body.dump();
    sent.push(lab.requests.length - before);
  }
  expect(sent).toEqual([1, 2, 1, 3, 1, 2]);
});
