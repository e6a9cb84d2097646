/**
 * What each vendor's hint set reads, as rows of data. To add a vendor, add its name in `sets.ts` and its row here.
 *
 * A vendor's set is `common` plus its row, so a row has only what is the vendor's own. An empty row says that the
 * vendor uses the common fields, or none. Each row stands for itself, so that a bundle carries only those that are named: a
 * call is marked as one that only makes a value.
 */

import { xRateDashLimit, xRateLimit } from './bases.js';
import { goDuration } from './duration.js';
import { deltaMs, deltaS, epochMs, epochS } from './fields.js';
import type { EventRows, HintSet, Quota, ResetField } from './hint-set.js';
import { date } from './lenient-date.js';
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
  secondsAt,
  shopifyCost,
  zendeskEndpoints,
} from './signals.js';

function deltaOf(quota: Quota): ResetField {
  return { quotas: [quota], as: deltaS, reason: 'x-ratelimit-reset-delta-s' };
}

function epochOf(quota: Quota): ResetField {
  return { quotas: [quota], as: epochS, reason: 'x-ratelimit-reset-epoch-s' };
}

function dateOf(quota: Quota, form: 'iso' | 'js-date' | 'http-date'): ResetField {
  return { quotas: [quota], as: date, fromServerDate: true, reason: `x-ratelimit-reset-${form}` };
}

/** `x-ratelimit-reset-tokens` and `-requests` say when the bucket is full again, so they are an upper bound. */
const openaiQuotas: readonly Quota[] = /* @__PURE__ */ ['requests', 'tokens'].map((quota) => ({
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

/**
 * The Responses API; chunks of completions need no row:
 * https://platform.openai.com/docs/api-reference/responses-streaming
 * https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses
 */
const openaiEvents: EventRows = {
  pending: [
    'response.created',
    'response.queued',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.reasoning_summary_part.added',
  ],
  failed: ['response.failed'],
  errors: {
    vector_store_timeout: 504,
    invalid_image: 400,
    invalid_image_format: 400,
    invalid_base64_image: 400,
    invalid_image_url: 400,
    image_too_large: 400,
    image_too_small: 400,
    image_parse_error: 400,
    image_content_policy_violation: 400,
    invalid_image_mode: 400,
    image_file_too_large: 400,
    unsupported_image_media_type: 400,
    empty_image_file: 400,
    failed_to_download_image: 400,
    image_file_not_found: 400,
  },
};

export const akamai: HintSet = {
  resets: [
    {
      quotas: [{ reset: 'x-ratelimit-next', remaining: 'x-ratelimit-remaining' }],
      as: date,
      fromServerDate: true,
      reason: 'x-ratelimit-next-iso',
    },
  ],
};
export const anthropic: HintSet = {
  throttles: ['anthropic-overloaded'],
  readsBody: true,
  signals: [anthropicLimit],
  // https://docs.claude.com/en/docs/build-with-claude/streaming, and the statuses of
  // https://docs.claude.com/en/api/errors
  events: {
    pending: ['message_start', 'content_block_start'],
    // Its other types are among the usual ones (`stream-events.ts`).
    errors: {
      billing_error: 402,
      request_too_large: 413,
      api_error: 500,
      timeout_error: 504,
      overloaded_error: 529,
    },
  },
  resets: [
    {
      quotas: /* @__PURE__ */ quotasNamed('anthropic-ratelimit', [
        'requests',
        'tokens',
        'input-tokens',
        'output-tokens',
      ]),
      as: date,
      fromServerDate: true,
      reason: 'anthropic-ratelimit-reset',
    },
    {
      quotas: [{ reset: 'anthropic-ratelimit-unified-reset' }],
      as: epochS,
      reason: 'anthropic-ratelimit-unified-reset',
      // Anthropic sends this header with every answer: on a 529 it says nothing about the overload.
      only: [429],
    },
  ],
};
// Atlassian's dates are rounded to the minute, so a date can lie in the past.
export const atlassian: HintSet = { resets: [/* @__PURE__ */ dateOf(xRateLimit, 'iso')] };
export const auth0: HintSet = { resets: [/* @__PURE__ */ epochOf(xRateLimit)] };
/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html */
const bedrockErrors = {
  internalServerException: 500,
  // "Retry your request."
  modelStreamErrorException: 503,
  modelTimeoutException: 504,
  serviceUnavailableException: 503,
  throttlingException: 429,
  validationException: 400,
};
export const aws: HintSet = {
  throttles: ['aws-throttling-code'],
  statuses: [400, 403],
  readsBody: true,
  signals: [awsCode],
  events: {
    pending: ['messageStart', 'contentBlockStart', 'message_start', 'content_block_start'],
    // Each is the name of an event, too.
    failed: /* @__PURE__ */ Object.keys(bedrockErrors),
    errors: bedrockErrors,
  },
  waits: [{ header: 'x-amz-retry-after', as: deltaMs, rank: 2 }],
};
export const azure: HintSet = {};
export const azureOpenai: HintSet = {
  events: openaiEvents,
  resets: [{ quotas: openaiQuotas, as: deltaS, reason: 'integer-seconds' }],
};
export const brevo: HintSet = {
  resets: [
    /* @__PURE__ */ deltaOf({ reset: 'x-sib-ratelimit-reset', remaining: 'x-sib-ratelimit-remaining' }),
  ],
};
export const cloudflare: HintSet = {};
export const discord: HintSet = {
  readsBody: true,
  readers: [/* @__PURE__ */ secondsAt(['retry_after'])],
  // The headers come last: for a shared resource they are far shorter than Retry-After.
  resets: [
    {
      quotas: [{ reset: 'x-ratelimit-reset-after', remaining: 'x-ratelimit-remaining' }],
      as: deltaS,
      reason: 'x-ratelimit-reset-after',
    },
    /* @__PURE__ */ epochOf(xRateLimit),
  ],
};
export const dropbox: HintSet = {
  readsBody: true,
  readers: [/* @__PURE__ */ secondsAt(['error', 'retry_after'])],
};
export const elasticsearch: HintSet = {
  throttles: ['elasticsearch-rejected'],
  readsBody: true,
  signals: [elasticsearchRejection],
};
export const envoy: HintSet = { resets: [/* @__PURE__ */ deltaOf(xRateLimit)] };
export const fastly: HintSet = {
  resets: [
    /* @__PURE__ */ epochOf({ reset: 'fastly-ratelimit-reset', remaining: 'fastly-ratelimit-remaining' }),
  ],
};
export const github: HintSet = {
  throttles: ['github-primary-limit', 'github-secondary-limit'],
  statuses: [403],
  // The path is /graphql, and /api/graphql on GitHub Enterprise Server.
  successes: [{ status: 200, method: 'POST', pathEnd: '/graphql' }],
  readsBody: true,
  signals: [githubLimit],
  resets: [/* @__PURE__ */ epochOf(xRateLimit)],
};
export const gitlab: HintSet = {
  resets: [
    {
      quotas: [{ reset: 'ratelimit-resettime', remaining: 'ratelimit-remaining' }],
      as: date,
      fromServerDate: true,
      reason: 'ratelimit-reset-time',
    },
  ],
};
export const google: HintSet = {
  throttles: ['google-rate-limit', 'google-retryinfo'],
  statuses: [403],
  readsBody: true,
  signals: [googleReason],
  readers: [googleRetryInfo],
  // Gemini's errors have these beside their status: https://ai.google.dev/gemini-api/docs/troubleshooting
  events: {
    errors: {
      RESOURCE_EXHAUSTED: 429,
      UNAVAILABLE: 503,
      DEADLINE_EXCEEDED: 504,
      INTERNAL: 500,
      UNKNOWN: 500,
      INVALID_ARGUMENT: 400,
      FAILED_PRECONDITION: 400,
      OUT_OF_RANGE: 400,
      UNAUTHENTICATED: 401,
      PERMISSION_DENIED: 403,
      NOT_FOUND: 404,
      UNIMPLEMENTED: 501,
    },
  },
};
// The Core Reporting API, version 3.
export const googleAnalytics: HintSet = {
  throttles: ['google-rate-limit'],
  statuses: [403],
  readsBody: true,
  signals: [analyticsOnce, googleReason],
};
export const grpcWeb: HintSet = { successes: [{ status: 200 }], signals: [grpcPushback] };
export const hubspot: HintSet = {
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
      as: deltaMs,
      reason: 'hubspot-interval',
    },
  ],
};
export const kubernetes: HintSet = {
  readsBody: true,
  readers: [/* @__PURE__ */ secondsAt(['details', 'retryAfterSeconds'], true)],
};
export const lemlist: HintSet = { resets: [/* @__PURE__ */ dateOf(xRateLimit, 'js-date')] };
export const linear: HintSet = {
  throttles: ['linear-ratelimited'],
  statuses: [400],
  readsBody: true,
  signals: [linearLimit],
  resets: [
    {
      quotas: /* @__PURE__ */ quotasNamed('x-ratelimit', ['requests', 'complexity']),
      as: epochMs,
      reason: 'x-ratelimit-reset-epoch-ms',
    },
  ],
};
export const mailerlite: HintSet = {
  throttles: ['x-ratelimit-retry-after'],
  waits: [{ header: 'x-ratelimit-retry-after', as: deltaS, rank: 5 }],
};
export const microsoftGraph: HintSet = {
  throttles: ['graph-throttled'],
  readsBody: true,
  signals: [graphLimit],
};
export const notion: HintSet = {};
export const okta: HintSet = {
  resets: [
    {
      quotas: [xRateDashLimit],
      as: epochS,
      reason: 'x-ratelimit-reset-epoch-s+1s',
      fromServerDate: true,
      plusMs: 1_000,
      single: true,
    },
  ],
};
export const openai: HintSet = {
  readsBody: true,
  signals: [openaiQuota],
  events: openaiEvents,
  resets: [{ quotas: openaiQuotas, as: goDuration, reason: 'go-duration' }],
};
export const pagerduty: HintSet = {};
export const perforce: HintSet = { resets: [/* @__PURE__ */ deltaOf(xRateLimit)] };
export const persona: HintSet = {};
// Prisjakt sends milliseconds: read as seconds, ten minutes would be a week.
export const prisjakt: HintSet = {
  resets: [{ quotas: [xRateDashLimit], as: deltaMs, reason: 'x-ratelimit-reset-delta-ms' }],
};
export const reddit: HintSet = { resets: [/* @__PURE__ */ deltaOf(xRateLimit)] };
export const resend: HintSet = {};
export const salesforce: HintSet = {
  throttles: ['salesforce-request-limit'],
  statuses: [403],
  signals: [salesforceLimit],
  readsBody: true,
  readers: [/* @__PURE__ */ secondsAt(['retryAfter'])],
};
export const sendgrid: HintSet = { resets: [/* @__PURE__ */ epochOf(xRateLimit)] };
export const shopify: HintSet = {
  throttles: ['graphql-cost', 'graphql-throttled'],
  successes: [{ status: 200, method: 'POST', pathEnd: '/graphql.json' }],
  readsBody: true,
  signals: [shopifyCost],
};
export const slack: HintSet = {};
export const smartsheet: HintSet = { resets: [/* @__PURE__ */ epochOf(xRateLimit)] };
export const stripe: HintSet = { statuses: [409], rulings: ['stripe-should-retry'] };
export const syntage: HintSet = { resets: [/* @__PURE__ */ epochOf(xRateLimit)] };
export const teamdynamix: HintSet = { resets: [/* @__PURE__ */ dateOf(xRateLimit, 'http-date')] };
export const telegram: HintSet = {
  readsBody: true,
  readers: [/* @__PURE__ */ secondsAt(['parameters', 'retry_after'])],
};
export const twilio: HintSet = {};
export const twitter: HintSet = { resets: [/* @__PURE__ */ epochOf(xRateDashLimit)] };
export const zendesk: HintSet = { throttles: ['zendesk-endpoint-reset'], readers: [zendeskEndpoints] };

/** All of them. */
export const vendors: Readonly<Record<Exclude<HintSetName, BaseName>, HintSet>> = {
  akamai,
  anthropic,
  atlassian,
  auth0,
  aws,
  azure,
  'azure-openai': azureOpenai,
  brevo,
  cloudflare,
  discord,
  dropbox,
  elasticsearch,
  envoy,
  fastly,
  github,
  gitlab,
  google,
  'google-analytics': googleAnalytics,
  'grpc-web': grpcWeb,
  hubspot,
  kubernetes,
  lemlist,
  linear,
  mailerlite,
  'microsoft-graph': microsoftGraph,
  notion,
  okta,
  openai,
  pagerduty,
  perforce,
  persona,
  prisjakt,
  reddit,
  resend,
  salesforce,
  sendgrid,
  shopify,
  slack,
  smartsheet,
  stripe,
  syntage,
  teamdynamix,
  telegram,
  twilio,
  twitter,
  zendesk,
};
