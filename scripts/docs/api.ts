/**
 * The public surface, read from the declarations that the compiler makes: a page for people, and the bare declarations,
 * in whose diff a change of names or types shows. `npm run docs` writes both, `npm run test:package` compares them.
 */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { allEntries } from '../entries.js';

interface Declared {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'value' | 'type';
  /** Its comment, on one line. */
  readonly about: string;
  /** The declaration itself, without any comments. An overloaded function has several. */
  readonly text: string;
}

interface Entry {
  readonly name: string;
  readonly declared: readonly Declared[];
}

/** Where the compiler writes the declarations of each source: tsconfig.build.json. */
const folder = '.build/declarations';

function allDeclared(): readonly Entry[] {
  return Object.entries(allEntries).map(([entry, source]) => {
    const file = source.replace(/^src/, folder).replace(/\.ts$/, '.d.ts');
    const declared = [...exportsOf(file).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return { name: `undaunted${entry.slice(1)}`, declared };
  });
}

// ---------------------------------------------------------------- reading declarations

const read = new Map<string, ReadonlyMap<string, Declared>>();

/** What a module exports, by name. */
function exportsOf(file: string): ReadonlyMap<string, Declared> {
  const known = read.get(file);
  if (known !== undefined) return known;
  const found = new Map<string, Declared>();
  read.set(file, found);
  const statements = statementsIn(readFileSync(file, 'utf8'));
  for (const statement of statements) {
    const passedOn = /^export (?:type )?(\*|\{[\s\S]*\}) from '(\..*)';$/.exec(statement.text);
    if (passedOn !== null) {
      const others = exportsOf(join(dirname(file), (passedOn[2] ?? '').replace('.js', '.d.ts')));
      for (const [name, declared] of chosen(passedOn[1] ?? '', others, file)) found.set(name, declared);
      continue;
    }
    const declared = declaredBy({ ...statement, text: writtenOut(statement.text, statements) });
    if (declared === undefined) continue;
    const earlier = found.get(declared.name);
    if (earlier === undefined) found.set(declared.name, declared);
    else found.set(declared.name, { ...earlier, text: `${earlier.text}\n${declared.text}` });
  }
  return found;
}

/** `*`, or `{ name, name as other }`. */
function chosen(
  list: string,
  others: ReadonlyMap<string, Declared>,
  file: string,
): readonly (readonly [string, Declared])[] {
  if (list === '*') return [...others];
  return [...list.matchAll(/(\w+)(?: as (\w+))?/g)].map(([, own = '', name = own]) => {
    const declared = others.get(own);
    if (declared === undefined) throw new Error(`${file} passes on ${own}, which was not found`);
    return [name, { ...declared, name }];
  });
}

interface Statement {
  readonly comment: string;
  readonly text: string;
}

/** Declarations are written by a program: each begins at the margin, and what belongs to it is indented, or closes it. */
function statementsIn(text: string): readonly Statement[] {
  const found: { comment: string; text: string }[] = [];
  let comment = '';
  for (const part of text.split(
    /\n(?=\/\*\*|\/\/|export |import |declare |interface |type |class |const |function )/,
  )) {
    if (!part.startsWith('/**')) {
      found.push({ comment, text: part.trim() });
      comment = '';
      continue;
    }
    comment = part;
  }
  return found;
}

const kinds = {
  function: 'function',
  class: 'class',
  const: 'value',
  interface: 'type',
  type: 'type',
} as const;

/** With the type of a constant of the same file, where it is named by that: `typeof all`. */
function writtenOut(text: string, statements: readonly Statement[]): string {
  return text.replace(/: typeof (\w+);$/, (whole, name: string) => {
    const start = `declare const ${name}: `;
    const meant = statements.find((other) => other.text.startsWith(start));
    return meant === undefined ? whole : `: ${meant.text.slice(start.length)}`;
  });
}

function declaredBy({ comment, text }: Statement): Declared | undefined {
  const [, word, name] = /^export (?:declare )?(function|class|const|interface|type) (\w+)/.exec(text) ?? [];
  if (word === undefined || name === undefined) return undefined;
  const about = comment.replaceAll(/\s*\n\s*\*(?!\/)\s?/g, ' ').replaceAll(/^\/\*\*\s*|\s*\*\/\s*$/g, '');
  return { name, kind: kinds[word as keyof typeof kinds], about: about.trim(), text: bare(text) };
}

function bare(text: string): string {
  return text
    .replaceAll(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/^export (declare )?/, '')
    .replaceAll(/ {4}/g, '  ');
}

// ---------------------------------------------------------------- writing

/** Both files, with their texts. */
export function apiFiles(): Readonly<Record<string, string>> {
  const entries = allDeclared();
  return { 'docs/api.md': page(entries), 'fixtures/public-api.txt': bareDeclarations(entries) };
}

function bareDeclarations(entries: readonly Entry[]): string {
  const parts = entries.map(
    ({ name, declared }) => `==== ${name} ====\n\n${declared.map(({ text }) => text).join('\n\n')}\n`,
  );
  return `Every exported name and type, written by \`npm run docs\`. What a diff of it shows is a change for users.\n\n${parts.join('\n')}`;
}

function page(entries: readonly Entry[]): string {
  return [
    '# API',
    '',
    'Every export, by the entry that has it. Your editor shows the whole comment of each, and of every option; the options are in',
    '[one table](policy.md#settings). `npm run docs` writes this page.',
    '',
    ...entries.flatMap((entry) => [...table(entry), '']),
  ].join('\n');
}

function table({ name, declared }: Entry): readonly string[] {
  const values = declared.filter(({ kind }) => kind !== 'type');
  const types = declared.filter(({ kind }) => kind === 'type').map((type) => `\`${type.name}\``);
  return [
    `## \`${name}\``,
    '',
    '| export | what it is |',
    '| --- | --- |',
    ...values.map(
      (value) => `| \`${signature(value)}\` | ${inTable(codeOf(value) + sentence(value.about))} |`,
    ),
    ...(types.length === 0 ? [] : ['', `Types: ${types.join(', ')}.`]),
  ];
}

/** Errors by their `code`. */
function codeOf({ text }: Declared): string {
  const [, code] = /readonly code = "(\w+)"/.exec(text) ?? [];
  return code === undefined ? '' : `\`${code}\`: `;
}

function signature({ name, kind, text }: Declared): string {
  if (kind !== 'function') return name;
  // Of an overloaded function, the form that people write is the last one.
  const form = text.split(/\n(?=function )/).at(-1) ?? text;
  const [, given = ''] = /^function \w+(?:<[\s\S]*?>)?\(([\s\S]*)\): /.exec(form) ?? [];
  const flat = given.replaceAll(/\{[^{}]*\}|\([^()]*\)/g, '');
  const names = [...flat.matchAll(/(?:^|,)\s*(\w*)(\??):/g)].map(
    ([, own, mark]) => `${own || 'options'}${mark}`,
  );
  return `${name}(${names.join(', ')})`;
}

function sentence(about: string): string {
  return /^[\s\S]*?[.:](?= [A-Z]|$)/.exec(about)?.[0] ?? about;
}

function inTable(text: string): string {
  return text.replaceAll('|', '\\|');
}
