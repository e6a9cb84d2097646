/** The names of all hint sets, and of the units in which one's own are written. Each set has its row in `bases.ts` or `vendors.ts`. */

export const hintSetNames = [
  // Only Retry-After and the rules for statuses.
  'standard',
  // The default: also the other fields whose meaning is clear.
  'common',
  // Also X-RateLimit-Reset without a vendor's name, read by its magnitude.
  'heuristic',
  // The vendors: `common`, and the vendor's own fields.
  'akamai',
  'anthropic',
  'atlassian',
  'auth0',
  'aws',
  'azure',
  'azure-openai',
  'brevo',
  'cloudflare',
  'discord',
  'dropbox',
  'elasticsearch',
  'envoy',
  'fastly',
  'github',
  'gitlab',
  'google',
  'google-analytics',
  'grpc-web',
  'hubspot',
  'kubernetes',
  'lemlist',
  'linear',
  'mailerlite',
  'microsoft-graph',
  'notion',
  'okta',
  'openai',
  'pagerduty',
  'perforce',
  'persona',
  'prisjakt',
  'reddit',
  'resend',
  'salesforce',
  'sendgrid',
  'shopify',
  'slack',
  'smartsheet',
  'stripe',
  'syntage',
  'teamdynamix',
  'telegram',
  'twilio',
  'twitter',
  'zendesk',
] as const;

export type HintSetName = (typeof hintSetNames)[number];

/** The sets that belong to no vendor. */
export type BaseName = 'standard' | 'common' | 'heuristic';

// ---------------------------------------------------------------- hints of one's own

export const hintUnits = ['s', 'ms', 'epoch-s', 'epoch-ms', 'date', 'go-duration', 'by-magnitude'] as const;

/**
 * How a wait is written: seconds or milliseconds from now, the time of its end in either (since 1970), a date, a duration
 * such as `6m0s` or `3.5s`, or a number whose magnitude tells which.
 */
export type HintUnit = (typeof hintUnits)[number];
