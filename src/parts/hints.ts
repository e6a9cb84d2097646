/** The hint sets as values, for the light entries, which have `standard` and `common` without being given them. */

import { heuristic as heuristicRow } from '../core/hints/bases.js';
import { compileHints } from '../core/hints/compile.js';
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
  /** What reads them, if they are more than the essentials read. */
  readonly compile?: object;
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
  compile: compileHints,
};

/** Those of all vendors. */
export const vendors: BodyHintPart<Exclude<HintSetName, BaseName>> = {
  part: 'hints',
  needs: [bodyHints],
  sets: rows.vendors,
  compile: compileHints,
};

/** `X-RateLimit-Reset` without a vendor's name, read by its magnitude. */
export const heuristic: HintPart<'heuristic'> = {
  part: 'hints',
  sets: { heuristic: heuristicRow },
  compile: compileHints,
};

export const akamai: HintPart<'akamai'> = {
  part: 'hints',
  sets: { akamai: rows.akamai },
  compile: compileHints,
};
export const anthropic: BodyHintPart<'anthropic'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { anthropic: rows.anthropic },
  compile: compileHints,
};
export const atlassian: HintPart<'atlassian'> = {
  part: 'hints',
  sets: { atlassian: rows.atlassian },
  compile: compileHints,
};
export const auth0: HintPart<'auth0'> = { part: 'hints', sets: { auth0: rows.auth0 }, compile: compileHints };
export const aws: BodyHintPart<'aws'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { aws: rows.aws },
  compile: compileHints,
};
export const azure: HintPart<'azure'> = { part: 'hints', sets: { azure: rows.azure }, compile: compileHints };
export const azureOpenai: HintPart<'azure-openai'> = {
  part: 'hints',
  sets: { 'azure-openai': rows.azureOpenai },
  compile: compileHints,
};
export const brevo: HintPart<'brevo'> = { part: 'hints', sets: { brevo: rows.brevo }, compile: compileHints };
export const cloudflare: HintPart<'cloudflare'> = {
  part: 'hints',
  sets: { cloudflare: rows.cloudflare },
  compile: compileHints,
};
export const discord: BodyHintPart<'discord'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { discord: rows.discord },
  compile: compileHints,
};
export const dropbox: BodyHintPart<'dropbox'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { dropbox: rows.dropbox },
  compile: compileHints,
};
export const elasticsearch: BodyHintPart<'elasticsearch'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { elasticsearch: rows.elasticsearch },
  compile: compileHints,
};
export const envoy: HintPart<'envoy'> = { part: 'hints', sets: { envoy: rows.envoy }, compile: compileHints };
export const fastly: HintPart<'fastly'> = {
  part: 'hints',
  sets: { fastly: rows.fastly },
  compile: compileHints,
};
export const github: BodyHintPart<'github'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { github: rows.github },
  compile: compileHints,
};
export const gitlab: HintPart<'gitlab'> = {
  part: 'hints',
  sets: { gitlab: rows.gitlab },
  compile: compileHints,
};
export const google: BodyHintPart<'google'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { google: rows.google },
  compile: compileHints,
};
export const googleAnalytics: BodyHintPart<'google-analytics'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { 'google-analytics': rows.googleAnalytics },
  compile: compileHints,
};
export const grpcWeb: BodyHintPart<'grpc-web'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { 'grpc-web': rows.grpcWeb },
  compile: compileHints,
};
export const hubspot: BodyHintPart<'hubspot'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { hubspot: rows.hubspot },
  compile: compileHints,
};
export const kubernetes: BodyHintPart<'kubernetes'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { kubernetes: rows.kubernetes },
  compile: compileHints,
};
export const lemlist: HintPart<'lemlist'> = {
  part: 'hints',
  sets: { lemlist: rows.lemlist },
  compile: compileHints,
};
export const linear: BodyHintPart<'linear'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { linear: rows.linear },
  compile: compileHints,
};
export const mailerlite: HintPart<'mailerlite'> = {
  part: 'hints',
  sets: { mailerlite: rows.mailerlite },
  compile: compileHints,
};
export const microsoftGraph: BodyHintPart<'microsoft-graph'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { 'microsoft-graph': rows.microsoftGraph },
  compile: compileHints,
};
export const notion: HintPart<'notion'> = {
  part: 'hints',
  sets: { notion: rows.notion },
  compile: compileHints,
};
export const okta: HintPart<'okta'> = { part: 'hints', sets: { okta: rows.okta }, compile: compileHints };
export const openai: BodyHintPart<'openai'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { openai: rows.openai },
  compile: compileHints,
};
export const pagerduty: HintPart<'pagerduty'> = {
  part: 'hints',
  sets: { pagerduty: rows.pagerduty },
  compile: compileHints,
};
export const perforce: HintPart<'perforce'> = {
  part: 'hints',
  sets: { perforce: rows.perforce },
  compile: compileHints,
};
export const persona: HintPart<'persona'> = {
  part: 'hints',
  sets: { persona: rows.persona },
  compile: compileHints,
};
export const prisjakt: HintPart<'prisjakt'> = {
  part: 'hints',
  sets: { prisjakt: rows.prisjakt },
  compile: compileHints,
};
export const reddit: HintPart<'reddit'> = {
  part: 'hints',
  sets: { reddit: rows.reddit },
  compile: compileHints,
};
export const resend: HintPart<'resend'> = {
  part: 'hints',
  sets: { resend: rows.resend },
  compile: compileHints,
};
export const salesforce: BodyHintPart<'salesforce'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { salesforce: rows.salesforce },
  compile: compileHints,
};
export const sendgrid: HintPart<'sendgrid'> = {
  part: 'hints',
  sets: { sendgrid: rows.sendgrid },
  compile: compileHints,
};
export const shopify: BodyHintPart<'shopify'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { shopify: rows.shopify },
  compile: compileHints,
};
export const slack: HintPart<'slack'> = { part: 'hints', sets: { slack: rows.slack }, compile: compileHints };
export const smartsheet: HintPart<'smartsheet'> = {
  part: 'hints',
  sets: { smartsheet: rows.smartsheet },
  compile: compileHints,
};
export const stripe: HintPart<'stripe'> = {
  part: 'hints',
  sets: { stripe: rows.stripe },
  compile: compileHints,
};
export const syntage: HintPart<'syntage'> = {
  part: 'hints',
  sets: { syntage: rows.syntage },
  compile: compileHints,
};
export const teamdynamix: HintPart<'teamdynamix'> = {
  part: 'hints',
  sets: { teamdynamix: rows.teamdynamix },
  compile: compileHints,
};
export const telegram: BodyHintPart<'telegram'> = {
  part: 'hints',
  needs: [bodyHints],
  sets: { telegram: rows.telegram },
  compile: compileHints,
};
export const twilio: HintPart<'twilio'> = {
  part: 'hints',
  sets: { twilio: rows.twilio },
  compile: compileHints,
};
export const twitter: HintPart<'twitter'> = {
  part: 'hints',
  sets: { twitter: rows.twitter },
  compile: compileHints,
};
export const zendesk: HintPart<'zendesk'> = {
  part: 'hints',
  sets: { zendesk: rows.zendesk },
  compile: compileHints,
};
