/** Listeners, and how they are told. Without a listener, no event is built. */

import type { DecisionEvent, FleetEvent, RequestEvent, RequestSummary } from '../core/events.js';
import { isObject } from '../core/is-object.js';
import type { Part } from '../core/policy/parts.js';
import type { Settings } from '../core/policy/settings.js';
import type { RequestFacts } from '../core/types.js';
import { urlFrom } from './address.js';
import { builtinModule } from './builtin-module.js';
import { warn } from './warning.js';

/** What every event says about its request. */
export type About = Pick<DecisionEvent, 'request' | 'rule' | 'scope'>;

interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

export const channelName = 'undaunted:decision';

/** Null: this platform has no diagnostics channels. */
let channel: Channel | null | undefined;

/**
 * The first request looks the channel up, not the loading of this file: edge runtimes have no
 * `node:diagnostics_channel`.
 */
function platformChannel(): Channel | null {
  const channels = builtinModule<{ channel(name: string): Channel }>('node:diagnostics_channel');
  channel = channels?.channel(channelName) ?? null;
  return channel;
}

/** Those of the platform, for listeners that need no policy. */
export interface Channels {
  hasSubscribers(): boolean;
  publish(event: RequestEvent): void;
}

/** Tells decisions to listeners on the platform's channels. */
export interface ChannelsPart extends Part<'channels'> {
  readonly of: Channels;
}

export const platformChannels: Channels = {
  hasSubscribers: () => (channel === undefined ? platformChannel() : channel)?.hasSubscribers === true,
  publish: (event) => channel?.publish(event),
};

export function isListening(settings: Settings, channels: Channels | undefined): boolean {
  return settings.observe !== undefined || channels?.hasSubscribers() === true;
}

/** A listener that throws is reported as a warning; the request and the other listeners go on. */
export function tell(settings: Settings, channels: Channels | undefined, event: RequestEvent): void {
  const { observe } = settings;
  if (event.type === 'decision') protect(event);
  if (observe !== undefined) guarded('observe', () => observe(event));
  // Node reports an error of a subscriber as an uncaught exception. Other platforms may let it through to us.
  if (channels?.hasSubscribers() === true) guarded('a subscriber', () => channels.publish(event));
}

const fleetChannelName = 'undaunted:fleet';

/** Fleet events are rare, so the channel is looked up each time. */
export function tellFleet(event: FleetEvent, observe?: (event: FleetEvent) => void): void {
  if (observe !== undefined) guarded('observe', () => observe(event));
  const channels = builtinModule<{ channel(name: string): Channel }>('node:diagnostics_channel');
  const fleetChannel = channels?.channel(fleetChannelName);
  if (fleetChannel?.hasSubscribers === true) guarded('a subscriber', () => fleetChannel.publish(event));
}

/** Freezes the parts of the event that the request and other requests go on using. */
function protect({ history, world, decision }: DecisionEvent): void {
  const { finding } = decision;
  for (const part of [...history, world.budget, decision, finding, finding.hint]) Object.freeze(part);
}

function guarded(who: string, listen: () => unknown): void {
  const report = (cause: unknown): void => {
    // Node prints nothing of a warning but its message.
    const why = cause instanceof Error ? ` (${cause.message})` : '';
    warn(new Error(`undaunted: ${who} threw an error${why}; the request goes on`, { cause }));
  };
  try {
    const told = listen();
    // An async listener rejects later, when this `try` is over.
    if (isObject(told)) Promise.resolve(told).catch(report);
  } catch (error) {
    report(error);
  }
}

/** A request as events may show it: without userinfo, query and fragment, where secrets travel. */
export function summaryOf({ method, origin = '', path }: RequestFacts): RequestSummary {
  const isWhole = origin === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(path);
  // The path of `OPTIONS *` and of CONNECT begins without a slash.
  const slash = /^[^/?#]/.test(path) ? '/' : '';
  return { method: method.toUpperCase(), url: withoutSecrets(isWhole ? path : `${origin}${slash}${path}`) };
}

export function withoutSecrets(url: string): string {
  const [start = '', scheme, slashes] = /^([a-z][a-z0-9+.-]*:)?(\/\/)?/i.exec(url) ?? [];
  // A `data:` URL and the like hold content, not an address.
  if (slashes === undefined) return scheme ?? withoutQuery(url);
  // Userinfo ends at the last @ of the authority: a password may hold one, too. A password that holds / or ? makes the
  // URL invalid as a rule; then everything up to the last @ goes.
  const userinfo = url.includes('@') && urlFrom(url) === undefined ? /^.*@/s : /^[^/?#\\]*@/;
  return withoutQuery(start + url.slice(start.length).replace(userinfo, ''));
}

function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}
