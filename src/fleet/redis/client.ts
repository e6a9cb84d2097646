/** The part of a node-redis client (4.6 or newer) that is used, so that no types of node-redis are needed. */

/** How long to wait before connecting again after a client has given up, for example after a wrong password. */
export const connectAgainMs = 2_000;

export interface RedisClient {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  duplicate(): RedisClient;
  sendCommand(command: string[]): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => unknown): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
  off?(event: string, listener: (error: unknown) => void): unknown;
  unref(): unknown;
  /** Since 5; 4 has only `disconnect`. */
  destroy?(): unknown;
  disconnect?(): unknown;
  readonly options?: { readonly database?: unknown; readonly legacyMode?: unknown } | undefined;
}

const asked: readonly (keyof RedisClient)[] = [
  'connect',
  'duplicate',
  'sendCommand',
  'subscribe',
  'on',
  // Clusters, sentinels and ioredis have all of these but the last.
  'unref',
];

export function isRedisClient(given: unknown): given is RedisClient {
  if (typeof given !== 'object' || given === null) return false;
  const { isOpen, options } = given as Partial<RedisClient>;
  // In its legacy mode, version 4 takes callbacks and returns no promises.
  if (typeof isOpen !== 'boolean' || options?.legacyMode === true) return false;
  return asked.every((name) => typeof (given as Partial<RedisClient>)[name] === 'function');
}

/** Ends the connection at once, without waiting for pending commands. */
export function end(client: RedisClient): void {
  try {
    if (!client.isOpen) return;
    if (client.destroy !== undefined) client.destroy();
    else Promise.resolve(client.disconnect?.()).catch(() => undefined);
  } catch {
    // It was closed already.
  }
}
