/** What would turn the decision around: each proposal is decided anew, and only those that do are kept. */

import type { Decision } from '../../../index.js';
import { explain, PolicyError } from '../../../index.js';
import type { Change, Ladder } from './changes.js';
import { laddersFor } from './changes.js';
import type { Answer, Question } from './question.js';
import { answer, fitsOtherRules } from './question.js';

export interface Flip {
  /** Two, where no single change is enough. */
  readonly changes: readonly Pick<Change, 'where' | 'text'>[];
  readonly sentence: string;
}

/** More ways to change two things at once would be too many to read. */
const mostPairs = 3;

export function flipsOf(question: Question, given: Answer): Flip[] {
  const single = turning(question, given, given.decision.action).map(({ change, decision }) =>
    flipOf([change], decision),
  );
  return single.length > 0 ? single : pairs(question, given);
}

function flipOf(changes: readonly Change[], decision: Decision): Flip {
  return { changes: changes.map(({ where, text }) => ({ where, text })), sentence: explain(decision) };
}

interface Turn {
  readonly change: Change;
  readonly decision: Decision;
}

/** The smallest sufficient change of each ladder. */
function turning(question: Question, given: Answer, from: Decision['action']): Turn[] {
  return laddersFor(question, given).flatMap((ladder) => {
    for (const change of ladder) {
      const decision = answerOn(change.question)?.decision;
      if (decision === undefined || decision.action === from) continue;
      if (fitsOtherRules(change.question)) return [{ change, decision }];
    }
    return [];
  });
}

/** A first change that leads to another reason for the same decision, and a second one that turns it around. */
function pairs(question: Question, given: Answer): Flip[] {
  const found = new Map<string, Flip>();
  for (const ladder of laddersFor(question, given)) {
    const first = firstStep(ladder, given);
    if (first === undefined) continue;
    for (const { change, decision } of turning(first.change.question, first.answer, given.decision.action)) {
      const changes = [first.change, change];
      const key = changes
        .map(({ text }) => text)
        .sort()
        .join();
      if (!found.has(key)) found.set(key, flipOf(changes, decision));
    }
  }
  return [...found.values()].slice(0, mostPairs);
}

function firstStep(ladder: Ladder, { decision }: Answer): { change: Change; answer: Answer } | undefined {
  for (const change of ladder) {
    const next = answerOn(change.question);
    if (next === undefined || next.decision.reason === decision.reason) continue;
    if (fitsOtherRules(change.question)) return { change, answer: next };
  }
  return undefined;
}

/** undefined: such a policy is invalid. */
function answerOn(question: Question): Answer | undefined {
  try {
    return answer(question);
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}
