/**
 * Redis as the store of a fleet: reports are sent as one script call, and news arrive over a second connection. Nothing
 * here throws, and nothing waits in a queue: without a ready connection, an exchange is answered with undefined.
 */

import { createHash } from 'node:crypto';
import type { Reported, Told } from '../../core/limits/fleet/messages.js';
import { type Answer, mostOut, recordKeptMs, type Store } from '../port.js';
import { newsIn, replyIn } from '../reading.js';
import { connectAgainMs, type RedisClient } from './client.js';
import { mergeScript } from './merge-script.js';
import { NewsConnection } from './news.js';

const scriptHash: string = createHash('sha1').update(mergeScript).digest('hex');

interface Listener {
  readonly told: (news: Told) => void;
  readonly ready: () => void;
}

type Answered = (facts: Answer | undefined) => void;

export class RedisStore implements Store {
  /** How many damaged records and messages were found. */
  garbled = 0;
  /** The last error since the last answer. */
  problem: string | undefined = undefined;
  private readonly client: RedisClient;
  private readonly prefix: string;
  private readonly channel: string;
  private readonly listeners: Set<Listener> = new Set();
  private readonly news: NewsConnection;
  private readonly watchers: readonly (readonly [string, (error: unknown) => void])[];
  private out = 0;
  private connectedAt = -Infinity;
  private wasOpen = false;
  /** Since the client was connected here, it is connected again here if it gives up. */
  private isOurs = false;
  private hasGivenUp = false;

  /** `prefix` ends with the hash tag that all keys share. */
  constructor(client: RedisClient, prefix: string) {
    this.client = client;
    this.prefix = prefix;
    this.channel = channelOf(prefix, client);
    this.news = new NewsConnection(
      client,
      this.channel,
      (message) => this.hear(message),
      () => this.ready(),
      (error) => this.note(error),
    );
    this.watchers = [
      ['ready', this.ready],
      ['end', this.ended],
      ['error', this.troubled],
    ];
    this.watch();
  }

  // ---------------------------------------------------------------- reports

  /** The count includes exchanges that the courier no longer waits for because Redis is slow. */
  canTake(): boolean {
    return this.isReady() && this.out < mostOut;
  }

  exchange(reports: readonly Reported[], answered: Answered): void {
    if (!this.canTake()) {
      queueMicrotask(() => answered(undefined));
      return;
    }
    this.out += 1;
    const keys = reports.map(({ key }) => this.prefix + key);
    const given = [this.channel, String(recordKeptMs), JSON.stringify(reports.map(({ report }) => report))];
    this.call([String(keys.length), ...keys, ...given]).then(
      (reply) => this.take(reply, reports.length, answered),
      (error: unknown) => {
        this.note(error);
        this.take(undefined, 0, answered);
      },
    );
  }

  /** The script itself is sent only if Redis does not know it: after its start, or after SCRIPT FLUSH. */
  private async call(args: string[]): Promise<unknown> {
    try {
      return await this.client.sendCommand(['EVALSHA', scriptHash, ...args]);
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error;
      return this.client.sendCommand(['EVAL', mergeScript, ...args]);
    }
  }

  private take(reply: unknown, expected: number, answered: Answered): void {
    this.out -= 1;
    if (reply === undefined) {
      answered(undefined);
      return;
    }
    const { facts, garbled } = replyIn(reply);
    this.garbled += garbled;
    const isWhole = facts.length === expected;
    if (!isWhole) this.garbled += 1;
    // Facts that cannot be read are left out; an answer with no others does not count as one.
    const isAnswer = isWhole && facts.some((one) => one !== undefined);
    if (isAnswer && !this.news.isDeaf) this.problem = undefined;
    answered(isAnswer ? facts : undefined);
  }

  // ---------------------------------------------------------------- news

  listen(told: (news: Told) => void, ready: () => void): () => void {
    const listener: Listener = { told, ready };
    this.listeners.add(listener);
    this.isReady();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.leave();
    };
  }

  private hear(message: string): void {
    const news = newsIn(message, this.prefix);
    if (news === undefined) this.garbled += 1;
    else for (const { told } of this.listeners) told(news);
  }

  // ---------------------------------------------------------------- connections

  /** Also connects if necessary, because this is called before each report. */
  private isReady(): boolean {
    const { client, news } = this;
    if (!client.isOpen) {
      if (!this.wasOpen || this.hasGivenUp) this.connect();
      // If the caller has closed it, it stays closed.
      else news.stop();
      return false;
    }
    this.wasOpen = true;
    if (client.isReady && this.listeners.size > 0) news.keepListening();
    // Without news, this process would take part in what it does not hear of.
    return client.isReady && !news.isDeaf;
  }

  private connect(): void {
    const now = performance.now();
    if (now - this.connectedAt < connectAgainMs) return;
    this.connectedAt = now;
    // The caller may still connect it in this turn, or close the fleet.
    queueMicrotask(() => {
      if (this.client.isOpen || this.listeners.size === 0) return;
      this.isOurs = true;
      // A caller that did not connect it will not close it, so it must not keep the process alive. Before it is
      // connected, `unref` does nothing.
      this.client.connect().then(
        () => this.client.unref(),
        () => undefined,
      );
    });
  }

  private watch(): void {
    const { client } = this;
    if (!quiet.has(client)) client.on('error', ignore);
    quiet.add(client);
    for (const [event, listener] of this.watchers) client.on(event, listener);
  }

  private leave(): void {
    this.news.stop();
    for (const [event, listener] of this.watchers) this.client.off?.(event, listener);
  }

  private readonly ready = (): void => {
    this.hasGivenUp = false;
    if (this.isReady()) for (const { ready } of this.listeners) ready();
  };

  private readonly ended = (): void => {
    this.hasGivenUp = false;
    this.news.stop();
  };

  private note(error: unknown): void {
    const { message, code } = error as { readonly message?: unknown; readonly code?: unknown };
    // If several addresses were tried, the error of all has no message.
    this.problem = String(message || code || error);
  }

  /** A client that gives up, as its `reconnectStrategy` says, is not open, and tells the error, but does not end. */
  private readonly troubled = (error: unknown): void => {
    this.note(error);
    if (this.isOurs && !this.client.isOpen) this.hasGivenUp = true;
  };
}

/** Without a listener, an error would crash the process, also after the fleet is closed. The client itself retries. */
const ignore = (): void => undefined;
/** Clients whose errors are ignored. */
const quiet: WeakSet<RedisClient> = new WeakSet();

/** Redis's databases have keys of their own, but share all channels. */
function channelOf(prefix: string, { options }: RedisClient): string {
  const database = Number(options?.database ?? 0);
  return database > 0 ? `${prefix}news:${database}` : `${prefix}news`;
}
