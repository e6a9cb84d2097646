/**
 * A plugin of Stryker that tests only every nth mutant (`MUTATION_SAMPLE`). A "checker" may refuse mutants before they
 * are tested; this one refuses the others, which then do not count. Stryker numbers mutants file by file, from the top
 * down, so the sample is spread over all files, and is the same for the same sources.
 */

interface Numbered {
  readonly id: string;
}

type Answer = { readonly status: 'passed' } | { readonly status: 'compileError'; readonly reason: string };

const every = Number(process.env['MUTATION_SAMPLE'] ?? 1);

const checker = {
  init: async (): Promise<void> => undefined,
  group: async (mutants: readonly Numbered[]): Promise<string[][]> => [mutants.map(({ id }) => id)],
  check: async (mutants: readonly Numbered[]): Promise<Record<string, Answer>> =>
    Object.fromEntries(mutants.map(({ id }) => [id, answerOn(Number(id))])),
};

function answerOn(id: number): Answer {
  return id % every === 0 ? { status: 'passed' } : { status: 'compileError', reason: 'not in the sample' };
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', value: checker }];
