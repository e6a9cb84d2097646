/** For tests that attach to an instance and detach again. */

import type { AxiosInstance } from 'axios';
import type { Lab } from '../../faults/lab.js';
import { settled } from '../kit.js';

/** How often this instance sends a request. */
export async function countOf(lab: Lab, instance: AxiosInstance): Promise<number> {
  const before = lab.requests.length;
  await settled(instance.get(lab.origin));
  return lab.requests.length - before;
}

/** How many interceptors an instance has. */
export function interceptorsOf({ interceptors }: AxiosInstance): number {
  let count = 0;
  for (const manager of [interceptors.request, interceptors.response]) {
    (manager as unknown as { forEach(visit: () => void): void }).forEach(() => {
      count += 1;
    });
  }
  return count;
}
