/** What is used of a client of node-redis, 4.6 or newer: said here, so that this package needs no types of it. */

export interface RedisClient {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  duplicate(): RedisClient;
  sendCommand(command: string[]): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => unknown): Promise<unknown>;
  on(event: string, listener: (...given: never[]) => unknown): unknown;
  unref(): unknown;
  /** Since 5; 4 has `disconnect` alone. */
  destroy?(): unknown;
  disconnect?(): unknown;
}

const asked: readonly (keyof RedisClient)[] = ['connect', 'duplicate', 'sendCommand', 'subscribe', 'on'];

export function isRedisClient(given: unknown): given is RedisClient {
  if (typeof given !== 'object' || given === null) return false;
  return asked.every((name) => typeof (given as Partial<RedisClient>)[name] === 'function');
}

/** Ends it at once; what it still waits for is dropped. */
export function end(client: RedisClient): void {
  try {
    if (!client.isOpen) return;
    if (client.destroy !== undefined) client.destroy();
    else Promise.resolve(client.disconnect?.()).catch(() => undefined);
  } catch {
    // It was closed already.
  }
}
