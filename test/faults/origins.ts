/** Addresses at which no server answers a connection. */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/**
 * A port without a listener, below those that the system gives out: on one of those, another process could start a
 * server while a test expects a refusal.
 */
export async function refusedOrigin(): Promise<string> {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return refusedOrigin();
  }
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

export interface FullBacklog extends AsyncDisposable {
  readonly origin: string;
  close(): Promise<void>;
}

// Node accepts connections whenever its event loop turns, so this loop stops for good.
const deafServer = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** A port whose accept queue is full: a SYN gets no answer, and connecting takes forever. */
export async function startFullBacklog(): Promise<FullBacklog> {
  const worker = new Worker(deafServer, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  // Linux accepts one connection more than the backlog.
  const fillers = await Promise.all([filler(port), filler(port)]);
  const close = async (): Promise<void> => {
    for (const each of fillers) each.destroy();
    await worker.terminate();
  };
  return { origin: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}

async function filler(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}
