/** Runs a server in another process during a measurement. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export async function withSmallServer<T>(measure: (origin: string) => Promise<T>): Promise<T> {
  const server = fork(fileURLToPath(new URL('./small-server.js', import.meta.url)));
  try {
    const [origin] = (await once(server, 'message')) as [string];
    return await measure(origin);
  } finally {
    server.kill();
  }
}
