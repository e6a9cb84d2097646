/** What an editor offers to users of undaunted, according to the installed compiler. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  API,
  type Checker,
  type CompletionEntry,
  type Diagnostic,
  type Project,
} from 'typescript/unstable/sync';

/** An entry of the completion list, with its documentation. */
export interface Offer {
  readonly name: string;
  /** The doc comment, without its tags. */
  readonly words: string;
  /** What follows `@default`, as it is written: one for each declaration. */
  readonly defaults: readonly string[];
}

/** The types that the compiler finds without a build. */
const paths = {
  undaunted: ['./src/index.ts'],
  'undaunted/undici': ['./src/adapters/undici/index.ts'],
  'undaunted/axios': ['./src/adapters/axios/index.ts'],
  'undaunted/fetch': ['./src/adapters/fetch/index.ts'],
  'undaunted/light': ['./src/light/index.ts'],
  'undaunted/light/axios': ['./src/light/axios.ts'],
  'undaunted/light/fetch': ['./src/light/fetch.ts'],
  'undaunted/parts': ['./src/parts/index.ts'],
  'undaunted/parts/hints': ['./src/parts/hints.ts'],
  'undaunted/otel': ['./src/otel/index.ts'],
  'undaunted/schemes': ['./src/schemes.ts'],
  'undaunted/redis': ['./src/fleet/redis/index.ts'],
  'undaunted/sim': ['./src/tools/sim/index.ts'],
  /** Declared for the second time, as for CommonJS. */
  'undaunted-again': ['./again/index.ts'],
};

/** The completion list of each program at the place that `¦` marks, in the order of editors. */
export function offeredIn(programs: readonly string[]): readonly (readonly Offer[])[] {
  return opened(programs, ({ checker }, paths) =>
    paths.map((path, index) => offersAt(checker, path, programs[index]?.indexOf('¦') ?? 0)),
  );
}

/** The underlined errors of each program. The compiler opens all of them at once. */
export function problemsOf(programs: readonly string[]): readonly (readonly string[])[] {
  return opened(programs, ({ program }, paths) =>
    paths.map((path) =>
      [...program.getSyntacticDiagnostics(path), ...program.getSemanticDiagnostics(path)].map(textOf),
    ),
  );
}

/** With what an overload says in particular. */
function textOf({ text, messageChain = [] }: Diagnostic): string {
  return [text, ...messageChain.map(textOf)].join(' ');
}

function opened<T>(programs: readonly string[], look: (project: Project, paths: readonly string[]) => T): T {
  const files = new Map(programs.map((program, index) => [resolve(`program-${index}.ts`), program]));
  const config = resolve('tsconfig.programs.json');
  const text = {
    extends: './tsconfig.json',
    compilerOptions: { paths },
    include: [],
    files: [...files.keys()],
  };
  const readFile = (path: string): string | undefined =>
    path === config ? JSON.stringify(text) : (files.get(path)?.replace('¦', '') ?? readAgain(path));
  const fileExists = (path: string): true | undefined => readFile(path) !== undefined || undefined;
  const directoryExists = (path: string): true | undefined => existsSync(meantBy(path) ?? '') || undefined;
  // A file that is undefined here is read from the disk.
  const compiler = new API({ cwd: process.cwd(), fs: { readFile, fileExists, directoryExists } });
  try {
    const project = compiler.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`The compiler did not open ${config}`);
    return look(project, [...files.keys()]);
  } finally {
    compiler.close();
  }
}

/** The sources a second time, as if they were those of another package. */
function readAgain(path: string): string | undefined {
  const source = meantBy(path);
  return source?.endsWith('.ts') === true && existsSync(source) ? readFileSync(source, 'utf8') : undefined;
}

function meantBy(path: string): string | undefined {
  const again = resolve('again');
  return path === again || path.startsWith(`${again}/`) ? path.replace(again, resolve('src')) : undefined;
}

function offersAt(checker: Checker, path: string, position: number): Offer[] {
  const list = checker.getCompletionsAtPosition(path, position, { includeSymbol: true });
  return [...(list?.entries ?? [])].sort(asShown).map(({ name, symbol }) => {
    const tags = symbol?.getJsDocTags(checker) ?? [];
    return {
      name: name.replace(/\?$/, ''),
      words: symbol?.getDocumentationComment(checker) ?? '',
      defaults: tags.filter((tag) => tag.name === 'default').map(({ text = '' }) => text),
    };
  });
}

function asShown(one: CompletionEntry, other: CompletionEntry): number {
  const [first, second] = [one, other].map(({ sortText = '', name }) => `${sortText} ${name}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
