/** The names of all hint sets. Each has its row in `bases.ts` or `vendors.ts`. */

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
