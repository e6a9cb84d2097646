/** For tests of what requests share: their answers. */

import type { AxiosInstance } from 'axios';
import { settled } from '../kit.js';

/** The status of the answer, whatever axios makes of it. */
export async function statusOf(
  instance: AxiosInstance,
  url: string,
  more: object = {},
): Promise<number | undefined> {
  const { value, error } = await settled(instance.get(url, more));
  return value?.status ?? (error as { response?: { status: number } }).response?.status;
}
