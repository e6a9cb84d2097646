/** Names the lines of a chart that coincide: no colour, width or dash tells them apart everywhere. */

interface NamedLine {
  readonly name: string;
  /** By the second. */
  readonly values: readonly number[];
}

/** A shorter common beginning needs no note. */
const leastShare = 0.1;

/** Undefined where all lines can be seen. */
export function coincidenceNote(lines: readonly NamedLine[]): string | undefined {
  const groups = groupsOf(lines);
  const same = groups.filter((group) => group.length > 1).map((group) => `Same line: ${namesOf(group)}.`);
  const until = commonSeconds(groups);
  const seconds = lines[0]?.values.length ?? 0;
  const isLong = groups.length > 1 && until >= leastShare * seconds;
  const notes = isLong ? [...same, `All lines are the same until ${until} s.`] : same;
  return notes.length === 0 ? undefined : notes.join(' ');
}

type Group = readonly NamedLine[];

/** Lines with the same values, together. */
function groupsOf(lines: readonly NamedLine[]): readonly Group[] {
  const groups = new Map<string, NamedLine[]>();
  for (const line of lines) {
    const key = line.values.join();
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return [...groups.values()];
}

/** How long all of them begin with the same values. */
function commonSeconds(groups: readonly Group[]): number {
  const [first, ...others] = groups.map((group) => group[0]?.values ?? []);
  if (first === undefined) return 0;
  const until = first.findIndex((value, second) => others.some((values) => values[second] !== value));
  return until === -1 ? first.length : until;
}

function namesOf(group: Group): string {
  return group.map(({ name }) => name).join(', ');
}
