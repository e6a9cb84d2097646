/** The hint sets as values, for the light entries, which have `standard` and `common` without being given them. */

import { bases } from '../core/hints/bases.js';
import { ownRow } from '../core/hints/own.js';
import { ownKey } from '../core/hints/rows.js';
import type { BaseName, HintSetName } from '../core/hints/sets.js';
import * as rows from '../core/hints/vendors.js';
import type { Part } from '../core/policy/parts.js';

/** Hint sets, by their names. */
export interface HintPart<Name extends HintSetName | typeof ownKey = HintSetName> extends Part<'hints'> {
  readonly sets: Readonly<Record<Name, object>>;
}

/** Hints of your own API: objects in `hints`. */
export const ownHints: HintPart<typeof ownKey> = { part: 'hints', sets: { [ownKey]: ownRow } };

/** Those of all vendors. */
export const vendors: HintPart<Exclude<HintSetName, BaseName>> = { part: 'hints', sets: rows.vendors };

/** `X-RateLimit-Reset` without a vendor's name, read by its magnitude. */
export const heuristic: HintPart<'heuristic'> = { part: 'hints', sets: { heuristic: bases.heuristic } };

export const akamai: HintPart<'akamai'> = { part: 'hints', sets: { akamai: rows.akamai } };
export const anthropic: HintPart<'anthropic'> = { part: 'hints', sets: { anthropic: rows.anthropic } };
export const atlassian: HintPart<'atlassian'> = { part: 'hints', sets: { atlassian: rows.atlassian } };
export const auth0: HintPart<'auth0'> = { part: 'hints', sets: { auth0: rows.auth0 } };
export const aws: HintPart<'aws'> = { part: 'hints', sets: { aws: rows.aws } };
export const azure: HintPart<'azure'> = { part: 'hints', sets: { azure: rows.azure } };
export const azureOpenai: HintPart<'azure-openai'> = {
  part: 'hints',
  sets: { 'azure-openai': rows.azureOpenai },
};
export const brevo: HintPart<'brevo'> = { part: 'hints', sets: { brevo: rows.brevo } };
export const cloudflare: HintPart<'cloudflare'> = { part: 'hints', sets: { cloudflare: rows.cloudflare } };
export const discord: HintPart<'discord'> = { part: 'hints', sets: { discord: rows.discord } };
export const dropbox: HintPart<'dropbox'> = { part: 'hints', sets: { dropbox: rows.dropbox } };
export const elasticsearch: HintPart<'elasticsearch'> = {
  part: 'hints',
  sets: { elasticsearch: rows.elasticsearch },
};
export const envoy: HintPart<'envoy'> = { part: 'hints', sets: { envoy: rows.envoy } };
export const fastly: HintPart<'fastly'> = { part: 'hints', sets: { fastly: rows.fastly } };
export const github: HintPart<'github'> = { part: 'hints', sets: { github: rows.github } };
export const gitlab: HintPart<'gitlab'> = { part: 'hints', sets: { gitlab: rows.gitlab } };
export const google: HintPart<'google'> = { part: 'hints', sets: { google: rows.google } };
export const googleAnalytics: HintPart<'google-analytics'> = {
  part: 'hints',
  sets: { 'google-analytics': rows.googleAnalytics },
};
export const grpcWeb: HintPart<'grpc-web'> = { part: 'hints', sets: { 'grpc-web': rows.grpcWeb } };
export const hubspot: HintPart<'hubspot'> = { part: 'hints', sets: { hubspot: rows.hubspot } };
export const kubernetes: HintPart<'kubernetes'> = { part: 'hints', sets: { kubernetes: rows.kubernetes } };
export const lemlist: HintPart<'lemlist'> = { part: 'hints', sets: { lemlist: rows.lemlist } };
export const linear: HintPart<'linear'> = { part: 'hints', sets: { linear: rows.linear } };
export const mailerlite: HintPart<'mailerlite'> = { part: 'hints', sets: { mailerlite: rows.mailerlite } };
export const microsoftGraph: HintPart<'microsoft-graph'> = {
  part: 'hints',
  sets: { 'microsoft-graph': rows.microsoftGraph },
};
export const notion: HintPart<'notion'> = { part: 'hints', sets: { notion: rows.notion } };
export const okta: HintPart<'okta'> = { part: 'hints', sets: { okta: rows.okta } };
export const openai: HintPart<'openai'> = { part: 'hints', sets: { openai: rows.openai } };
export const pagerduty: HintPart<'pagerduty'> = { part: 'hints', sets: { pagerduty: rows.pagerduty } };
export const perforce: HintPart<'perforce'> = { part: 'hints', sets: { perforce: rows.perforce } };
export const persona: HintPart<'persona'> = { part: 'hints', sets: { persona: rows.persona } };
export const prisjakt: HintPart<'prisjakt'> = { part: 'hints', sets: { prisjakt: rows.prisjakt } };
export const reddit: HintPart<'reddit'> = { part: 'hints', sets: { reddit: rows.reddit } };
export const resend: HintPart<'resend'> = { part: 'hints', sets: { resend: rows.resend } };
export const salesforce: HintPart<'salesforce'> = { part: 'hints', sets: { salesforce: rows.salesforce } };
export const sendgrid: HintPart<'sendgrid'> = { part: 'hints', sets: { sendgrid: rows.sendgrid } };
export const shopify: HintPart<'shopify'> = { part: 'hints', sets: { shopify: rows.shopify } };
export const slack: HintPart<'slack'> = { part: 'hints', sets: { slack: rows.slack } };
export const smartsheet: HintPart<'smartsheet'> = { part: 'hints', sets: { smartsheet: rows.smartsheet } };
export const stripe: HintPart<'stripe'> = { part: 'hints', sets: { stripe: rows.stripe } };
export const syntage: HintPart<'syntage'> = { part: 'hints', sets: { syntage: rows.syntage } };
export const teamdynamix: HintPart<'teamdynamix'> = {
  part: 'hints',
  sets: { teamdynamix: rows.teamdynamix },
};
export const telegram: HintPart<'telegram'> = { part: 'hints', sets: { telegram: rows.telegram } };
export const twilio: HintPart<'twilio'> = { part: 'hints', sets: { twilio: rows.twilio } };
export const twitter: HintPart<'twitter'> = { part: 'hints', sets: { twitter: rows.twitter } };
export const zendesk: HintPart<'zendesk'> = { part: 'hints', sets: { zendesk: rows.zendesk } };
