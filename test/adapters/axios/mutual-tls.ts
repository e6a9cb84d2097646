/** A server that requires client certificates. */

import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { ca, keyAndCertificateOf } from '../../faults/certificates.js';

/** Starts it, and returns its origin; it listens until the test ends. */
export async function startMutualTls(): Promise<string> {
  const asking = { requestCert: true, rejectUnauthorized: true, ca, minVersion: 'TLSv1.3' } as const;
  const server = createServer({ ...keyAndCertificateOf('trusted'), ...asking });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
