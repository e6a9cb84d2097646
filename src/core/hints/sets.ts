/** The names of the hint sets: the only list of them. Each has its row in `bases.ts` or `vendors.ts`. */

export const hintSetNames = [
  // Retry-After and the rules for statuses only.
  'standard',
  // And the other unambiguous fields: the default.
  'common',
  // And an unnamed X-RateLimit-Reset, read by its magnitude.
  'heuristic',
  // Common, and what one vendor means by its own fields.
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

/** No vendor's. */
export type BaseName = 'standard' | 'common' | 'heuristic';
