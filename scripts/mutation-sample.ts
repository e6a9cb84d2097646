/**
 * A plugin of Stryker: of all mutants, every so manieth is tested (`MUTATION_SAMPLE`). A "checker" may refuse mutants
 * before they meet a test; the others are refused, and count nowhere. Stryker numbers them file by file, from the top
 * down, so that the sample is spread over all files, and the same for the same sources.
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
