/** Policies by name: our own, and those of other libraries. */

import type { PolicyOptions } from '../../index.js';
import { presets } from '../../index.js';
import { peers } from './peers.js';
import type { Contender } from './world.js';

type PeerName = keyof typeof peers;

const ours: Readonly<Record<string, PolicyOptions>> = {
  default: {},
  service: presets.policies.service,
  'service-hedge': { ...presets.policies.service, hedge: true },
  llm: presets.policies.llm,
};

const peerNames: Readonly<Record<string, PeerName>> = {
  none: 'noRetry',
  'fixed-for-ever': 'fixedForEver',
  article: 'article',
  'article-program': 'articleProgram',
  'three-retries': 'threeRetries',
  'axios-retry': 'axiosRetry',
  'undici-retry': 'undiciRetry',
  got: 'got',
  ky: 'ky',
  'p-retry': 'pRetry',
  'aws-standard': 'awsStandard',
} satisfies Record<string, PeerName>;

export const policyNames: readonly string[] = [...Object.keys(ours), ...Object.keys(peerNames)];

/** The policy or peer of a known name. */
export function contenderNamed(name: string): Contender | undefined {
  if (Object.hasOwn(ours, name)) return ours[name];
  const peer = Object.hasOwn(peerNames, name) ? peerNames[name] : undefined;
  return peer === undefined ? undefined : peers[peer];
}

/** How tables and sentences call a policy. */
export function labelOf(name: string): string {
  return name === 'none' ? 'no retry' : name;
}

export function isOurs(name: string): boolean {
  return Object.hasOwn(ours, name);
}

/** The policy of a known name, if a policy can express it. */
export function policyNamed(name: string): PolicyOptions | undefined {
  const contender = contenderNamed(name);
  return contender === undefined || 'wait' in contender ? undefined : (contender as PolicyOptions);
}

/** The known names that stand for a policy, which is data; the others stand for code of other libraries. */
export const dataPolicyNames: readonly string[] = policyNames.filter(
  (name) => policyNamed(name) !== undefined,
);
