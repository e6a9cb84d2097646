/**
 * What each vendor's hint set reads, as rows of data. To add a vendor, add its name in `sets.ts` and its row here.
 *
 * A vendor's set is `common` plus its row, so a row has only what is the vendor's own. An empty row says that the
 * vendor uses the common fields, or none.
 */

import { xRateDashLimit, xRateLimit } from './bases.js';
import type { HintSet, Quota, ResetField } from './hint-set.js';
import type { BaseName, HintSetName } from './sets.js';
import {
  analyticsOnce,
  anthropicLimit,
  awsCode,
  elasticsearchRejection,
  githubLimit,
  googleReason,
  googleRetryInfo,
  graphLimit,
  grpcPushback,
  hubspotPolicy,
  linearLimit,
  openaiQuota,
  salesforceLimit,
  shopifyCost,
  zendeskEndpoints,
} from './signals.js';

function resetOf(quota: Quota, as: 'delta-s' | 'delta-ms' | 'epoch-s'): ResetField {
  return { quotas: [quota], as, reason: `x-ratelimit-reset-${as}` };
}

function dateOf(quota: Quota, form: 'iso' | 'js-date' | 'http-date'): ResetField {
  return { quotas: [quota], as: 'date', reason: `x-ratelimit-reset-${form}` };
}

/** `x-ratelimit-reset-tokens` and `-requests` say when the bucket is full again, so they are an upper bound. */
const openaiQuotas: readonly Quota[] = ['requests', 'tokens'].map((quota) => ({
  reset: `x-ratelimit-reset-${quota}`,
  remaining: `x-ratelimit-remaining-${quota}`,
}));

/** The headers of Anthropic and Linear, which have the quota's name in the middle. */
function quotasNamed(prefix: string, names: readonly string[]): readonly Quota[] {
  return names.map((name) => ({
    reset: `${prefix}-${name}-reset`,
    remaining: `${prefix}-${name}-remaining`,
  }));
}

export const vendors: Readonly<Record<Exclude<HintSetName, BaseName>, HintSet>> = {
  akamai: {
    resets: [
      {
        quotas: [{ reset: 'x-ratelimit-next', remaining: 'x-ratelimit-remaining' }],
        as: 'date',
        reason: 'x-ratelimit-next-iso',
      },
    ],
  },
  anthropic: {
    readsBody: true,
    signals: [anthropicLimit],
    resets: [
      {
        quotas: quotasNamed('anthropic-ratelimit', ['requests', 'tokens', 'input-tokens', 'output-tokens']),
        as: 'date',
        reason: 'anthropic-ratelimit-reset',
      },
      {
        quotas: [{ reset: 'anthropic-ratelimit-unified-reset' }],
        as: 'epoch-s',
        reason: 'anthropic-ratelimit-unified-reset',
        // Anthropic sends this header with every answer: on a 529 it says nothing about the overload.
        only: [429],
      },
    ],
  },
  // Atlassian's dates are rounded to the minute, so a date can lie in the past.
  atlassian: { resets: [dateOf(xRateLimit, 'iso')] },
  auth0: { resets: [resetOf(xRateLimit, 'epoch-s')] },
  aws: {
    statuses: [400, 403],
    readsBody: true,
    signals: [awsCode],
    waits: [{ header: 'x-amz-retry-after', as: 'delta-ms' }],
  },
  azure: {},
  'azure-openai': { resets: [{ quotas: openaiQuotas, as: 'delta-s', reason: 'integer-seconds' }] },
  brevo: {
    resets: [resetOf({ reset: 'x-sib-ratelimit-reset', remaining: 'x-sib-ratelimit-remaining' }, 'delta-s')],
  },
  cloudflare: {},
  discord: {
    bodies: [{ path: ['retry_after'] }],
    // The headers come last: for a shared resource they are far shorter than Retry-After.
    resets: [
      {
        quotas: [{ reset: 'x-ratelimit-reset-after', remaining: 'x-ratelimit-remaining' }],
        as: 'delta-s',
        reason: 'x-ratelimit-reset-after',
      },
      resetOf(xRateLimit, 'epoch-s'),
    ],
  },
  dropbox: { bodies: [{ path: ['error', 'retry_after'] }] },
  elasticsearch: { readsBody: true, signals: [elasticsearchRejection] },
  envoy: { resets: [resetOf(xRateLimit, 'delta-s')] },
  fastly: {
    resets: [
      resetOf({ reset: 'fastly-ratelimit-reset', remaining: 'fastly-ratelimit-remaining' }, 'epoch-s'),
    ],
  },
  github: {
    statuses: [403],
    // The path is /graphql, and /api/graphql on GitHub Enterprise Server.
    successes: [{ status: 200, method: 'POST', pathEnd: '/graphql' }],
    readsBody: true,
    signals: [githubLimit],
    resets: [resetOf(xRateLimit, 'epoch-s')],
  },
  gitlab: {
    resets: [
      {
        quotas: [{ reset: 'ratelimit-resettime', remaining: 'ratelimit-remaining' }],
        as: 'date',
        reason: 'ratelimit-reset-time',
      },
    ],
  },
  google: {
    statuses: [403],
    readsBody: true,
    signals: [googleReason],
    readers: [googleRetryInfo],
  },
  // The Core Reporting API, version 3.
  'google-analytics': { statuses: [403], readsBody: true, signals: [analyticsOnce, googleReason] },
  'grpc-web': { successes: [{ status: 200 }], signals: [grpcPushback] },
  hubspot: {
    readsBody: true,
    signals: [hubspotPolicy],
    resets: [
      {
        quotas: [
          {
            reset: 'x-hubspot-ratelimit-interval-milliseconds',
            remaining: 'x-hubspot-ratelimit-remaining',
          },
        ],
        as: 'delta-ms',
        reason: 'hubspot-interval',
      },
    ],
  },
  kubernetes: { bodies: [{ path: ['details', 'retryAfterSeconds'], zeroIsUnset: true }] },
  lemlist: { resets: [dateOf(xRateLimit, 'js-date')] },
  linear: {
    statuses: [400],
    readsBody: true,
    signals: [linearLimit],
    resets: [
      {
        quotas: quotasNamed('x-ratelimit', ['requests', 'complexity']),
        as: 'epoch-ms',
        reason: 'x-ratelimit-reset-epoch-ms',
      },
    ],
  },
  mailerlite: { waits: [{ header: 'x-ratelimit-retry-after', as: 'delta-s' }] },
  'microsoft-graph': { readsBody: true, signals: [graphLimit] },
  notion: {},
  okta: {
    resets: [
      {
        ...resetOf(xRateDashLimit, 'epoch-s'),
        reason: 'x-ratelimit-reset-epoch-s+1s',
        fromServerDate: true,
        plusMs: 1_000,
        single: true,
      },
    ],
  },
  openai: {
    readsBody: true,
    signals: [openaiQuota],
    resets: [{ quotas: openaiQuotas, as: 'go-duration', reason: 'go-duration' }],
  },
  pagerduty: {},
  perforce: { resets: [resetOf(xRateLimit, 'delta-s')] },
  persona: {},
  // Prisjakt sends milliseconds: read as seconds, ten minutes would be a week.
  prisjakt: { resets: [resetOf(xRateDashLimit, 'delta-ms')] },
  reddit: { resets: [resetOf(xRateLimit, 'delta-s')] },
  resend: {},
  salesforce: {
    statuses: [403],
    signals: [salesforceLimit],
    bodies: [{ path: ['retryAfter'] }],
  },
  sendgrid: { resets: [resetOf(xRateLimit, 'epoch-s')] },
  shopify: {
    successes: [{ status: 200, method: 'POST', pathEnd: '/graphql.json' }],
    readsBody: true,
    signals: [shopifyCost],
  },
  slack: {},
  smartsheet: { resets: [resetOf(xRateLimit, 'epoch-s')] },
  stripe: { statuses: [409], rulings: ['stripe-should-retry'] },
  syntage: { resets: [resetOf(xRateLimit, 'epoch-s')] },
  teamdynamix: { resets: [dateOf(xRateLimit, 'http-date')] },
  telegram: { bodies: [{ path: ['parameters', 'retry_after'] }] },
  twilio: {},
  twitter: { resets: [resetOf(xRateDashLimit, 'epoch-s')] },
  zendesk: { readers: [zendeskEndpoints] },
};
