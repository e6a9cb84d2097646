/** May this be sent again? Method, key, evidence, body (RFC 9110 9.2.2). */

import type { Settings } from '../policy/settings.js';
import type { Evidence, Finding, StopReason, World } from '../types.js';

/** Why not, or undefined. With `retryIf` returning true, the caller vouches that repeating is safe. */
export function whyUnsafe(
  settings: Settings,
  finding: Finding,
  world: Pick<World, 'request' | 'replayable' | 'resumable' | 'verdict'>,
): StopReason | undefined {
  if (world.verdict !== true && !mayRepeat(settings, finding.evidence, world)) return 'unsafe-method';
  if (!world.replayable) return 'body-spent';
  return world.resumable === false ? 'not-resumable' : undefined;
}

function mayRepeat(settings: Settings, evidence: Evidence, { request }: Pick<World, 'request'>): boolean {
  return isSafe(settings, request) || evidenceAllows(settings.unsafeMethods, evidence);
}

/** Whether the request may be repeated whatever has become of it. */
export function isSafe({ idempotent, methods }: Settings, request: World['request']): boolean {
  const { method } = request;
  // Its key comes last, since an adapter may have to look for it among the headers.
  return idempotent || methods.has(method) || methods.has(method.toUpperCase()) || request.keyed;
}

function evidenceAllows(unsafeMethods: Settings['unsafeMethods'], evidence: Evidence): boolean {
  if (unsafeMethods === 'unsent') return evidence === 'unsent';
  return unsafeMethods === 'refused' && evidence !== 'unknown';
}
