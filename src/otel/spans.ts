/** Adds decisions, hedges and refusals as events to the span in which the request was made; no span is added around it. */

import { type Attributes, trace } from '@opentelemetry/api';
import type { DecisionEvent, HedgeEvent, RequestEvent } from '../core/events.js';
import { explain } from '../core/explain.js';
import type { Labels } from './attributes.js';

export function addSpanEvent(event: RequestEvent, labels: Labels): void {
  const span = trace.getActiveSpan();
  if (span?.isRecording() !== true) return;
  const { request, scope } = event;
  const about = {
    ...labels.ofRequest(event),
    // Without an origin, the URL is only a path.
    [request.url.startsWith('/') ? 'url.path' : 'url.full']: request.url,
    'undaunted.scope': scope,
  };
  if (event.type === 'decision') {
    span.addEvent(`undaunted.${event.decision.action}`, { ...about, ...ofDecision(event, labels) });
  } else if (event.type === 'hedge') {
    span.addEvent('undaunted.hedge', { ...about, ...ofHedge(event) });
  } else if (event.refused !== undefined) {
    const { reason, enforced } = event.refused;
    span.addEvent('undaunted.refusal', {
      ...about,
      'undaunted.reason': reason,
      'undaunted.enforced': enforced,
    });
  }
}

function ofDecision({ decision, history }: DecisionEvent, labels: Labels): Attributes {
  return {
    ...labels.ofFinding(decision.finding),
    'undaunted.attempt': decision.attempt,
    'undaunted.reason': decision.reason,
    'undaunted.explanation': explain(decision),
    ...(decision.action === 'retry' && {
      // Not the number of the attempt: if two attempts were out at once, either of them may have decided.
      'http.request.resend_count': history.length,
      'undaunted.wait.duration': decision.delayMs / 1_000,
      'undaunted.wait.from': decision.waitFrom,
    }),
  };
}

function ofHedge({ attempt, afterMs }: HedgeEvent): Attributes {
  return {
    'undaunted.attempt': attempt,
    'http.request.resend_count': attempt - 1,
    'undaunted.hedge.delay': afterMs / 1_000,
  };
}
