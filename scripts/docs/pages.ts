/** The pages that people read: the README, what stands beside it, and all of docs/. */

import { readdirSync, readFileSync } from 'node:fs';

export interface Page {
  /** Its path from the root. */
  readonly path: string;
  readonly text: string;
}

export interface Block {
  readonly page: string;
  /** The line at which its code begins. */
  readonly line: number;
  /** What stands behind the opening fence. */
  readonly language: string;
  readonly code: string;
}

const besideReadme = [
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'llms.txt',
  'skills/undaunted/SKILL.md',
];

export function pages(): readonly Page[] {
  const inDocs = readdirSync('docs').filter((name) => name.endsWith('.md'));
  return ['README.md', ...inDocs.sort().map((name) => `docs/${name}`), ...besideReadme].map(page);
}

export function page(path: string): Page {
  return { path, text: readFileSync(path, 'utf8') };
}

/** The code blocks of a page, of one language or of all. */
export function blocksIn({ path, text }: Page, language?: string): readonly Block[] {
  const all = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    (match): Block => ({
      page: path,
      line: text.slice(0, match.index).split('\n').length + 1,
      language: match[1] ?? '',
      code: match[2] ?? '',
    }),
  );
  return language === undefined ? all : all.filter((block) => block.language === language);
}

/** A test file: it needs Vitest, which runs it. */
export function isTestFile({ code }: Block): boolean {
  return code.includes(" from 'vitest'");
}
