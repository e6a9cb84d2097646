/** Decisions as events on the span in which the request was made: no span is added around it. */

import { trace } from '@opentelemetry/api';
import type { DecisionEvent } from '../core/events.js';
import { explain } from '../core/explain.js';
import type { Labels } from './attributes.js';

export function addSpanEvent(event: DecisionEvent, labels: Labels): void {
  const span = trace.getActiveSpan();
  if (span?.isRecording() !== true) return;
  const { decision, request, scope } = event;
  span.addEvent(`undaunted.${decision.action}`, {
    ...labels.ofRequest(event),
    ...labels.ofFinding(decision.finding),
    // Without an origin it is only a path.
    [request.url.startsWith('/') ? 'url.path' : 'url.full']: request.url,
    'undaunted.scope': scope,
    'undaunted.attempt': decision.attempt,
    'undaunted.reason': decision.reason,
    'undaunted.explanation': explain(decision),
    ...(decision.action === 'retry' && {
      'http.request.resend_count': decision.attempt,
      'undaunted.wait.duration': decision.delayMs / 1_000,
      'undaunted.wait.from': decision.waitFrom,
    }),
  });
}
