/** Who listens, and how they are told. Nothing is built when there is no listener. */

import type { DecisionEvent, FleetEvent, RequestSummary, SettledEvent } from '../core/events.js';
import type { Settings } from '../core/policy/settings.js';
import type { RequestFacts } from '../core/types.js';
import { builtinModule } from './builtin-module.js';
import { warn } from './warning.js';

interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

export const channelName = 'undaunted:decision';

/** Null: there are no channels in this place. */
let channel: Channel | null | undefined;

/** Looked up by the first request, not when this is loaded: an edge runtime has none to give. */
function channelHere(): Channel | null {
  const channels = builtinModule<{ channel(name: string): Channel }>('node:diagnostics_channel');
  channel = channels?.channel(channelName) ?? null;
  return channel;
}

function hasSubscribers(): boolean {
  return (channel === undefined ? channelHere() : channel)?.hasSubscribers === true;
}

export function isListening(settings: Settings): boolean {
  return settings.observe !== undefined || hasSubscribers();
}

/** A listener that fails is reported, and changes nothing for the request and for the other listeners. */
export function tell(settings: Settings, event: DecisionEvent | SettledEvent): void {
  const { observe } = settings;
  if (event.type === 'decision') protect(event);
  if (observe !== undefined) guarded('observe', () => observe(event));
  // Node itself reports what a subscriber throws, as an uncaught exception; others may do it differently.
  if (hasSubscribers()) guarded('a subscriber', () => channel?.publish(event));
}

export const fleetChannelName = 'undaunted:fleet';

/** Seldom: the channel is looked up each time. */
export function tellFleet(event: FleetEvent, observe?: (event: FleetEvent) => void): void {
  if (observe !== undefined) guarded('observe', () => observe(event));
  const channels = builtinModule<{ channel(name: string): Channel }>('node:diagnostics_channel');
  const fleetChannel = channels?.channel(fleetChannelName);
  if (fleetChannel?.hasSubscribers === true) guarded('a subscriber', () => fleetChannel.publish(event));
}

/** What is not the event's own: the request goes on with it, and others do. */
function protect({ history, world, decision }: DecisionEvent): void {
  const { finding } = decision;
  for (const part of [...history, world.budget, decision, finding, finding.hint]) Object.freeze(part);
}

function guarded(who: string, listen: () => unknown): void {
  const report = (cause: unknown): void =>
    warn(new Error(`undaunted: ${who} threw; the request goes on`, { cause }));
  try {
    const told = listen();
    // An async one throws later, where it could not be caught.
    if (typeof told === 'object' && told !== null) Promise.resolve(told).catch(report);
  } catch (error) {
    report(error);
  }
}

/** What may be shown of a request: userinfo, query and fragment are where secrets travel. */
export function summaryOf({ method, origin = '', path }: RequestFacts): RequestSummary {
  const isWhole = origin === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(path);
  // Of `OPTIONS *` and CONNECT, the path begins without a slash.
  const slash = /^[^/?#]/.test(path) ? '/' : '';
  return { method: method.toUpperCase(), url: withoutSecrets(isWhole ? path : `${origin}${slash}${path}`) };
}

export function withoutSecrets(url: string): string {
  const [start = '', scheme, slashes] = /^([a-z][a-z0-9+.-]*:)?(\/\/)?/i.exec(url) ?? [];
  // `data:` and its like have content in place of an address.
  if (slashes === undefined) return scheme ?? withoutQuery(url);
  // Up to the last @ of the authority: a password may hold one. Where it holds what ends an authority, this is no URL.
  const userinfo = url.includes('@') && !URL.canParse(url) ? /^.*@/s : /^[^/?#\\]*@/;
  return withoutQuery(start + url.slice(start.length).replace(userinfo, ''));
}

function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}
