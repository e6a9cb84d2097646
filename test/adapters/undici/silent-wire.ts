/** A proxy to a lab whose connections can go silent without being closed. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Lab } from '../../faults/lab.js';

export interface SilentWire {
  /** The proxy's origin, in place of the lab's. */
  readonly origin: string;
  readonly connections: number;
  /** From now on, nothing gets through on existing connections; new ones work. */
  fallSilent(): void;
}

export async function openSilentWire({ origin, port }: Pick<Lab, 'origin' | 'port'>): Promise<SilentWire> {
  const ends: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const end of [near, far]) end.on('error', () => end.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
    ends.push(near, far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const end of ends) end.destroy();
    server.close();
  });

  return {
    origin: origin.replace(String(port), String((server.address() as AddressInfo).port)),
    get connections() {
      return ends.length / 2;
    },
    fallSilent: () => {
      for (const end of ends) end.unpipe().pause();
    },
  };
}
