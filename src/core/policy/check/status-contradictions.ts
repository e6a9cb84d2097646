import type { Problem } from '../../errors.js';
import { found } from '../../found.js';
import type { Level } from './level.js';

/**
 * A status that is both listed and negated is a contradiction, and so is a list of negations only. A negation of a status
 * that is not listed is not: it makes hints for that status ineffective.
 */
// Stryker disable next-line ArrayDeclaration: judged only where there is a list.
export function statusContradictions({ own: { statuses = [] }, settings }: Level): readonly Problem[] {
  const entries = statuses.map(String);
  if (entries.length > 0 && entries.every((entry) => entry.startsWith('!'))) {
    const allowed = 'at least one status to retry: the list replaces the default list';
    return [{ path: 'statuses', found: 'only negations', allowed }];
  }
  const left = new Set(
    [...settings.statuses.retried].map(String).flatMap((status) => [status, `${status.charAt(0)}xx`]),
  );
  return entries.flatMap((entry, index) =>
    entry.startsWith('!') || left.has(entry)
      ? []
      : [
          {
            path: `statuses[${index}]`,
            found: found(statuses[index]),
            allowed: 'a status that the list does not also negate',
          },
        ],
  );
}
