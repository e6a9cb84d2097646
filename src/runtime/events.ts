/** Who listens, and how they are told. Nothing is built when nobody does. */

import type { DecisionEvent, RequestSummary, SettledEvent } from '../core/events.js';
import type { RequestFacts, Settings } from '../core/types.js';
import { builtinModule } from './builtin-module.js';

interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface Host {
  readonly process?: {
    emitWarning?(warning: Error): void;
  };
}

const host = globalThis as Host;

export const channelName = 'undaunted:decision';

const channel: Channel | undefined = builtinModule<{ channel(name: string): Channel }>(
  'node:diagnostics_channel',
)?.channel(channelName);

export function isListening(settings: Settings): boolean {
  return settings.observe !== undefined || channel?.hasSubscribers === true;
}

/** A listener that throws is reported, and changes nothing for the request and for the other listeners. */
export function tell(settings: Settings, event: DecisionEvent | SettledEvent): void {
  const { observe } = settings;
  if (observe !== undefined) guarded('observe', () => observe(event));
  // Node itself reports what a subscriber throws, as an uncaught exception; others may do it differently.
  if (channel?.hasSubscribers === true) guarded('a subscriber', () => channel.publish(event));
}

function guarded(who: string, listen: () => void): void {
  try {
    listen();
  } catch (error) {
    warn(new Error(`undaunted: ${who} threw; the request goes on`, { cause: error }));
  }
}

function warn(warning: Error): void {
  if (host.process?.emitWarning === undefined) console.warn(warning);
  else host.process.emitWarning(warning);
}

/** What may be shown of a request: userinfo, query and fragment are where secrets travel. */
export function summaryOf({ method, origin, path }: RequestFacts): RequestSummary {
  const isAbsolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(path);
  return { method: method.toUpperCase(), url: withoutSecrets(isAbsolute ? path : `${origin ?? ''}${path}`) };
}

export function withoutSecrets(url: string): string {
  const end = url.search(/[?#]/);
  const bare = end === -1 ? url : url.slice(0, end);
  // Up to the last @ of the authority: a password may hold one.
  return bare.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/\\]*@/i, '$1');
}
