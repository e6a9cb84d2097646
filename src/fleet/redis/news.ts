/**
 * The connection on which news arrive: one that listens can do nothing else. It begins and ends with the client of the
 * caller, and does not keep the process alive.
 */

import { connectAgainMs, end, type RedisClient } from './client.js';

export class NewsConnection {
  private readonly client: RedisClient;
  private readonly channel: string;
  private readonly heard: (message: string) => void;
  private readonly back: () => void;
  private readonly tellError: (error: unknown) => void;
  private connection: RedisClient | undefined = undefined;
  private isSubscribed = false;
  private hasFailed = false;
  private startedAt = -Infinity;

  /** `back` is called when news arrive again. */
  constructor(
    client: RedisClient,
    channel: string,
    heard: (message: string) => void,
    back: () => void,
    tellError: (error: unknown) => void,
  ) {
    this.client = client;
    this.channel = channel;
    this.heard = heard;
    this.back = back;
    this.tellError = tellError;
  }

  /** Whether news do not arrive. The first connection is taken to succeed while it is being made. */
  get isDeaf(): boolean {
    return this.isSubscribed ? this.connection?.isReady !== true : this.hasFailed;
  }

  /** Called before each report. Connects again if the last connection has given up. */
  keepListening(): void {
    if (this.isSubscribed && this.connection?.isOpen !== true) this.fail();
    if (this.connection !== undefined) return;
    const isTooSoon = performance.now() - this.startedAt < connectAgainMs;
    if (!(this.hasFailed && isTooSoon)) this.start();
  }

  stop(): void {
    this.drop();
    this.hasFailed = false;
  }

  private start(): void {
    const connection = this.client.duplicate();
    this.connection = connection;
    this.startedAt = performance.now();
    connection.on('error', (error) => this.troubled(connection, error));
    connection.on('ready', () => this.isBack(connection));
    this.subscribe(connection).catch((error: unknown) => {
      if (this.connection !== connection) {
        end(connection);
        return;
      }
      this.tellError(error);
      this.fail();
    });
  }

  private async subscribe(connection: RedisClient): Promise<void> {
    await connection.connect();
    if (this.connection === connection) {
      connection.unref();
      await connection.subscribe(this.channel, this.heard);
    }
    if (this.connection !== connection) {
      end(connection);
      return;
    }
    const wasDeaf = this.isDeaf;
    this.isSubscribed = true;
    this.hasFailed = false;
    if (wasDeaf) this.back();
  }

  /** Without a listener, an error would crash the process. The connection itself tries again, unless it gives up. */
  private troubled(connection: RedisClient, error: unknown): void {
    if (this.connection !== connection) return;
    this.tellError(error);
    if (!this.isSubscribed) this.hasFailed = true;
    else if (!connection.isOpen) this.keepListening();
  }

  private isBack(connection: RedisClient): void {
    if (this.connection === connection && this.isSubscribed) this.back();
  }

  private fail(): void {
    this.drop();
    this.hasFailed = true;
  }

  private drop(): void {
    const { connection } = this;
    this.connection = undefined;
    this.isSubscribed = false;
    if (connection !== undefined) end(connection);
  }
}
