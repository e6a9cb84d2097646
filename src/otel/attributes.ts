/** Attributes of a request: named as in the semantic conventions for HTTP, and limited to few different values. */

import type { Attributes } from '@opentelemetry/api';
import type { RequestEvent } from '../core/events.js';
import { labelOfFinding } from '../core/label.js';
import type { Finding } from '../core/types.js';
import { Bounded, other } from './bounded.js';

/** The methods of RFC 9110, PATCH (RFC 5789) and QUERY. */
const knownMethods: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
]);

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export class Labels {
  private readonly origins: Bounded;
  private readonly rules: Bounded;
  private readonly errors: Bounded;
  private readonly servers: Map<string, Attributes> = new Map([[other, { 'server.address': other }]]);

  constructor(most: number) {
    this.origins = new Bounded(most);
    this.rules = new Bounded(most);
    this.errors = new Bounded(most);
  }

  ofRequest({ request, rule }: RequestEvent): Attributes {
    const { method, url } = request;
    return {
      'http.request.method': knownMethods.has(method) ? method : other,
      ...this.ofServer(url),
      'undaunted.rule': this.rules.of(rule),
    };
  }

  ofFinding(finding: Finding): Attributes {
    return this.ofOutcome(labelOfFinding(finding));
  }

  /** Takes a status, or an error's code or name. */
  ofOutcome(outcome: number | string): Attributes {
    if (typeof outcome === 'string') return { 'error.type': this.errors.of(outcome) };
    // An adapter of the caller's may return any number as the status.
    if (!Number.isInteger(outcome) || outcome < 100 || outcome > 999) return {};
    const status = { 'http.response.status_code': outcome };
    return outcome >= 400 ? { ...status, 'error.type': String(outcome) } : status;
  }

  /** Empty if the client did not know the origin. */
  private ofServer(url: string): Attributes {
    const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.exec(url)?.[0];
    if (origin === undefined) return {};
    const label = this.origins.of(origin);
    let server = this.servers.get(label);
    if (server === undefined) {
      server = serverAt(label);
      this.servers.set(label, server);
    }
    return server;
  }
}

function serverAt(origin: string): Attributes {
  if (!URL.canParse(origin)) return {};
  const { hostname, port, protocol } = new URL(origin);
  const number = port === '' ? defaultPorts[protocol] : Number(port);
  return { 'server.address': hostname, ...(number !== undefined && { 'server.port': number }) };
}
