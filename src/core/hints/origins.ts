/**
 * What each hint set reads, in words, and the source of each: for people. Nothing that decides imports this file, so
 * that no bundle carries it. A test holds the table in docs/hints.md to it.
 */

import type { HintSetName } from './sets.js';

export interface Origin {
  /** What the set reads in addition to `common`. */
  readonly reads: string;
  /** The vendor's own documentation, or the closest to it that there is. */
  readonly source: string;
}

export const origins: Readonly<Record<HintSetName, Origin>> = {
  standard: {
    reads: '`Retry-After`; 408 with `Connection: close`; problem documents about idempotency keys',
    source: 'https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3',
  },
  common: {
    reads:
      '`retry-after-ms`, `x-ms-retry-after-ms`, `x-retry-after`, `x-should-retry`, `RateLimit`, `RateLimit-*`',
    source: 'https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/',
  },
  heuristic: {
    reads: '`X-RateLimit-Reset`, `X-Rate-Limit-Reset`: seconds or epoch time, by magnitude',
    source: 'https://github.com/sindresorhus/ky#retry',
  },
  akamai: {
    reads: '`X-RateLimit-Next`, a date',
    source: 'https://techdocs.akamai.com/msl/reference/resource-limiting',
  },
  anthropic: {
    reads: '`anthropic-ratelimit-*-reset`; 529 means rate limited; body: overload; the spend limit (never)',
    source: 'https://platform.claude.com/docs/en/api/rate-limits',
  },
  atlassian: {
    reads: '`X-RateLimit-Reset`, a date',
    source: 'https://developer.atlassian.com/cloud/jira/platform/rate-limiting/',
  },
  auth0: {
    reads: '`X-RateLimit-Reset`, epoch seconds',
    source: 'https://auth0.com/docs/troubleshoot/customer-support/operational-policies/rate-limit-policy',
  },
  aws: {
    reads:
      '`x-amz-retry-after`; error codes in `x-amzn-ErrorType` and in JSON or XML bodies, also on 400 and 403',
    source: 'https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html',
  },
  azure: {
    reads: 'only `common`',
    source:
      'https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling',
  },
  'azure-openai': {
    reads: '`x-ratelimit-reset-requests`, `-tokens`, seconds',
    source: 'https://github.com/openai/openai-dotnet/issues/838',
  },
  brevo: {
    reads: '`x-sib-ratelimit-reset`, seconds',
    source: 'https://developers.brevo.com/docs/limit-headers',
  },
  cloudflare: {
    reads: 'only `common`',
    source: 'https://developers.cloudflare.com/fundamentals/api/reference/limits/',
  },
  discord: {
    reads: 'body: `retry_after`; `X-RateLimit-Reset-After`, `X-RateLimit-Reset`',
    source: 'https://discord.com/developers/docs/topics/rate-limits',
  },
  dropbox: {
    reads: 'body: `error.retry_after`',
    source: 'https://developers.dropbox.com/error-handling-guide',
  },
  elasticsearch: {
    reads: 'body: rejections; `PERMANENT` circuit breakers (never)',
    source: 'https://github.com/elastic/elasticsearch/pull/34460',
  },
  envoy: {
    reads: '`x-ratelimit-reset`, seconds',
    source: 'https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/rate_limit_filter',
  },
  fastly: {
    reads: '`Fastly-RateLimit-Reset`, epoch seconds',
    source: 'https://www.fastly.com/documentation/reference/api/#rate-limiting',
  },
  github: {
    reads:
      '`x-ratelimit-reset`, epoch seconds; 403; body: the secondary limit (at least a minute); GraphQL errors in a 200',
    source: 'https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api',
  },
  gitlab: {
    reads: '`RateLimit-ResetTime`, a date',
    source: 'https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/',
  },
  google: {
    reads: 'body: `RetryInfo`; reasons, also on 403; daily quotas, `…PerDay` or `-1d` (never)',
    source: 'https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto',
  },
  'google-analytics': {
    reads: 'body: reasons, also on 403; 500 and 503 at most once',
    source: 'https://developers.google.com/analytics/devguides/reporting/core/v3/errors',
  },
  'grpc-web': {
    reads: '`grpc-retry-pushback-ms`, also on 200',
    source: 'https://github.com/grpc/proposal/blob/master/A6-client-retries.md',
  },
  hubspot: {
    reads: '`X-HubSpot-RateLimit-Interval-Milliseconds`; body: `policyName` (`DAILY`: never)',
    source: 'https://developers.hubspot.com/docs/api/usage-details',
  },
  kubernetes: {
    reads: 'body: `details.retryAfterSeconds`',
    source:
      'https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md',
  },
  lemlist: {
    reads: '`X-RateLimit-Reset`, a JavaScript date string',
    source: 'https://developer.lemlist.com/api-reference/getting-started/rate-limits',
  },
  linear: {
    reads: '`X-RateLimit-Requests-Reset`, `-Complexity-Reset`, epoch ms; 400; body: `RATELIMITED`',
    source: 'https://linear.app/developers/rate-limiting',
  },
  mailerlite: {
    reads: '`X-RateLimit-Retry-After`, seconds',
    source: 'https://developers-classic.mailerlite.com/docs/api-rate-limits',
  },
  'microsoft-graph': {
    reads:
      '509 means rate limited, 507 never; body: `activityLimitReached`, `throttledRequest`; `quotaLimitReached` (never)',
    source: 'https://learn.microsoft.com/graph/errors',
  },
  notion: {
    reads: 'only `common`',
    source: 'https://developers.notion.com/reference/request-limits',
  },
  okta: {
    reads: '`X-Rate-Limit-Reset`, epoch seconds by the server’s clock, plus one second',
    source: 'https://developer.okta.com/docs/reference/rl-best-practices/',
  },
  openai: {
    reads:
      '`x-ratelimit-reset-requests`, `-tokens`, durations such as `6m0s`; body: `insufficient_quota` (never)',
    source: 'https://platform.openai.com/docs/guides/rate-limits',
  },
  pagerduty: {
    reads: 'only `common`',
    source: 'https://developer.pagerduty.com/docs/rest-api-rate-limits',
  },
  perforce: {
    reads: '`X-RateLimit-Reset`, seconds',
    source: 'https://help.perforce.com/helix-alm/helixalm/current/restapi/Content/RESTAPI/RateLimits.htm',
  },
  persona: {
    reads: 'only `common`',
    source: 'https://docs.withpersona.com/v2021-07-05/reference/rate-limiting',
  },
  prisjakt: {
    reads: '`X-Rate-Limit-Reset`, milliseconds',
    source: 'https://developer.prisjakt.nu/docs/sections/rate-limit',
  },
  reddit: {
    reads: '`x-ratelimit-reset`, seconds',
    source: 'https://github.com/reddit-archive/reddit/wiki/API',
  },
  resend: {
    reads: 'only `common`',
    source: 'https://resend.com/docs/api-reference/rate-limit',
  },
  salesforce: {
    reads: '403; body: `REQUEST_LIMIT_EXCEEDED` (the daily total: never), `retryAfter`',
    source: 'https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm',
  },
  sendgrid: {
    reads: '`X-RateLimit-Reset`, epoch seconds',
    source: 'https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits',
  },
  shopify: {
    reads: 'body: the cost of a `THROTTLED` query, in a 200 of GraphQL',
    source: 'https://shopify.dev/docs/api/usage/limits',
  },
  slack: {
    reads: 'only `common`',
    source: 'https://docs.slack.dev/apis/web-api/rate-limits/',
  },
  smartsheet: {
    reads: '`X-RateLimit-Reset`, epoch seconds',
    source:
      'https://developers.smartsheet.com/api/resource_management/getting-started/throttling-and-rate-limiting',
  },
  stripe: {
    reads: '`Stripe-Should-Retry`; 409',
    source: 'https://docs.stripe.com/error-low-level',
  },
  syntage: {
    reads: '`X-RateLimit-Reset`, epoch seconds',
    source: 'https://docs.syntage.com/guides/api/rate-limiting',
  },
  teamdynamix: {
    reads: '`X-RateLimit-Reset`, an HTTP date',
    source: 'https://solutions.teamdynamix.com/TDWebApi/Home/AboutRateLimiting',
  },
  telegram: {
    reads: 'body: `parameters.retry_after`',
    source: 'https://core.telegram.org/bots/api#responseparameters',
  },
  twilio: {
    reads: 'only `common`',
    source: 'https://www.twilio.com/docs/api/errors/20429',
  },
  twitter: {
    reads: '`x-rate-limit-reset`, epoch seconds',
    source: 'https://docs.x.com/x-api/fundamentals/rate-limits',
  },
  zendesk: {
    reads: '`Zendesk-RateLimit-*`, one header per endpoint',
    source: 'https://developer.zendesk.com/api-reference/introduction/rate-limits/',
  },
};
