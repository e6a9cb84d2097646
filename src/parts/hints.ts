/** The hint sets as values, for the light entries, which have `standard` and `common` without being given them. */

import { heuristic as heuristicRow } from '../core/hints/bases.js';
import { parseLenientDate } from '../core/hints/lenient-date.js';
import { ownRow } from '../core/hints/own.js';
import { datesKey, type ownKey } from '../core/hints/rows.js';
import type { BaseName, HintSetName } from '../core/hints/sets.js';
import * as rows from '../core/hints/vendors.js';
import type { Part } from '../core/policy/parts.js';
import * as every from './all.js';

/** Hint sets, by their names. */
export interface HintPart<Name extends HintSetName | typeof ownKey = HintSetName> extends Part<'hints'> {
  readonly sets: Readonly<Record<Name, object>>;
}

/** Those that are found in bodies, too, or in successes. */
interface BodyHintPart<Name extends HintSetName | typeof ownKey = HintSetName> extends HintPart<Name> {
  readonly needs: readonly [Part<'bodyHints'>, ...Part[]];
}

/**
 * `bodyHintBytes`: hints in bodies, of RFC 9457 too. Each set that looks into bodies brings it.
 */
export const bodyHints: Part<'bodyHints'> = every.bodyHints;

/** Dates in other forms than those of RFC 9110, in `Retry-After` and `Date`: without it, such a date counts as none. */
export const lenientDates: HintPart<never> = { part: 'hints', sets: /* @__PURE__ */ datesOnly() };

function datesOnly(): HintPart<never>['sets'] {
  return { [datesKey]: parseLenientDate };
}

/** Hints of your own API: objects in `hints`. Those that look into successes wait until these are whole. */
export const ownHints: BodyHintPart<typeof ownKey> = {
  part: 'hints',
  needs: [bodyHints, every.wholeAnswers],
  // The name itself: bundlers keep an object with a key that they do not know.
  sets: { '{}': ownRow },
};

/** Those of all vendors. */
export const vendors: BodyHintPart<Exclude<HintSetName, BaseName>> = {
  part: 'hints',
  needs: [bodyHints],
  sets: rows.vendors,
};

/** `X-RateLimit-Reset` without a vendor's name, read by its magnitude. */
export const heuristic: HintPart<'heuristic'> = { part: 'hints', sets: { heuristic: heuristicRow } };

export const akamai: HintPart<'akamai'> = { part: 'hints', sets: { akamai: rows.akamai } };
export const anthropic: BodyHintPart<'anthropic'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { anthropic: rows.anthropic },
};
export const atlassian: HintPart<'atlassian'> = { part: 'hints', sets: { atlassian: rows.atlassian } };
export const auth0: HintPart<'auth0'> = { part: 'hints', sets: { auth0: rows.auth0 } };
export const aws: BodyHintPart<'aws'> = { part: 'hints', needs: [bodyHints], sets: { aws: rows.aws } };
export const azure: HintPart<'azure'> = { part: 'hints', sets: { azure: rows.azure } };
export const azureOpenai: HintPart<'azure-openai'> = {
  part: 'hints',
  sets: { 'azure-openai': rows.azureOpenai },
};
export const brevo: HintPart<'brevo'> = { part: 'hints', sets: { brevo: rows.brevo } };
export const cloudflare: HintPart<'cloudflare'> = { part: 'hints', sets: { cloudflare: rows.cloudflare } };
export const discord: BodyHintPart<'discord'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { discord: rows.discord },
};
export const dropbox: BodyHintPart<'dropbox'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { dropbox: rows.dropbox },
};
export const elasticsearch: BodyHintPart<'elasticsearch'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { elasticsearch: rows.elasticsearch },
};
export const envoy: HintPart<'envoy'> = { part: 'hints', sets: { envoy: rows.envoy } };
export const fastly: HintPart<'fastly'> = { part: 'hints', sets: { fastly: rows.fastly } };
export const github: BodyHintPart<'github'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { github: rows.github },
};
export const gitlab: HintPart<'gitlab'> = { part: 'hints', sets: { gitlab: rows.gitlab } };
export const google: BodyHintPart<'google'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { google: rows.google },
};
export const googleAnalytics: BodyHintPart<'google-analytics'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { 'google-analytics': rows.googleAnalytics },
};
export const grpcWeb: BodyHintPart<'grpc-web'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { 'grpc-web': rows.grpcWeb },
};
export const hubspot: BodyHintPart<'hubspot'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { hubspot: rows.hubspot },
};
export const kubernetes: BodyHintPart<'kubernetes'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { kubernetes: rows.kubernetes },
};
export const lemlist: HintPart<'lemlist'> = { part: 'hints', sets: { lemlist: rows.lemlist } };
export const linear: BodyHintPart<'linear'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { linear: rows.linear },
};
export const mailerlite: HintPart<'mailerlite'> = { part: 'hints', sets: { mailerlite: rows.mailerlite } };
export const microsoftGraph: BodyHintPart<'microsoft-graph'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { 'microsoft-graph': rows.microsoftGraph },
};
export const notion: HintPart<'notion'> = { part: 'hints', sets: { notion: rows.notion } };
export const okta: HintPart<'okta'> = { part: 'hints', sets: { okta: rows.okta } };
export const openai: BodyHintPart<'openai'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { openai: rows.openai },
};
export const pagerduty: HintPart<'pagerduty'> = { part: 'hints', sets: { pagerduty: rows.pagerduty } };
export const perforce: HintPart<'perforce'> = { part: 'hints', sets: { perforce: rows.perforce } };
export const persona: HintPart<'persona'> = { part: 'hints', sets: { persona: rows.persona } };
export const prisjakt: HintPart<'prisjakt'> = { part: 'hints', sets: { prisjakt: rows.prisjakt } };
export const reddit: HintPart<'reddit'> = { part: 'hints', sets: { reddit: rows.reddit } };
export const resend: HintPart<'resend'> = { part: 'hints', sets: { resend: rows.resend } };
export const salesforce: BodyHintPart<'salesforce'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { salesforce: rows.salesforce },
};
export const sendgrid: HintPart<'sendgrid'> = { part: 'hints', sets: { sendgrid: rows.sendgrid } };
export const shopify: BodyHintPart<'shopify'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { shopify: rows.shopify },
};
export const slack: HintPart<'slack'> = { part: 'hints', sets: { slack: rows.slack } };
export const smartsheet: HintPart<'smartsheet'> = { part: 'hints', sets: { smartsheet: rows.smartsheet } };
export const stripe: HintPart<'stripe'> = { part: 'hints', sets: { stripe: rows.stripe } };
export const syntage: HintPart<'syntage'> = { part: 'hints', sets: { syntage: rows.syntage } };
export const teamdynamix: HintPart<'teamdynamix'> = {
  part: 'hints',
  sets: { teamdynamix: rows.teamdynamix },
};
export const telegram: BodyHintPart<'telegram'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { telegram: rows.telegram },
};
export const twilio: HintPart<'twilio'> = { part: 'hints', sets: { twilio: rows.twilio } };
export const twitter: HintPart<'twitter'> = { part: 'hints', sets: { twitter: rows.twitter } };
export const zendesk: HintPart<'zendesk'> = { part: 'hints', sets: { zendesk: rows.zendesk } };
