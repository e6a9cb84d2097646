/** The page of reports and of the lab as one file, with script, style and licences inside; only the data are missing. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = 'src/tools/pages/browser';

export async function pageTemplate(): Promise<string> {
  const [script, style] = [await bundled('main.ts'), await bundled('page.css')];
  const html = await readFile(join(folder, 'page.html'), 'utf8');
  const licences = await licencesOf([...script.packages, ...style.packages]);
  return put(html, {
    security: securityPolicy(script.text, style.text),
    style: `<style>${style.text}</style>`,
    script: `<script id="script">${script.text}</script>`,
    licences: licences.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  });
}

interface Bundle {
  readonly text: string;
  /** Folders of the packages that are in it. */
  readonly packages: readonly string[];
}

async function bundled(entry: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, entry)],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: ['es2022', 'chrome115', 'firefox119', 'safari17'],
    legalComments: 'none',
    metafile: true,
    write: false,
    outdir: 'out',
    logLevel: 'silent',
  });
  const text = outputFiles.map((file) => file.text.trim()).join('');
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${entry} has text in it that ends its element`);
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  );
  return { text, packages: [...new Set(packages)] };
}

/** The page loads nothing, and runs only the script that the build has put in. */
function securityPolicy(script: string, style: string): string {
  const rules = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'worker-src blob:',
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<meta http-equiv="Content-Security-Policy" content="${rules.join('; ')}">`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

async function licencesOf(packages: readonly string[]): Promise<string> {
  const all = ['.', ...new Set(packages)].sort();
  const texts = all.map(async (path) => {
    const { name } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as { name: string };
    const file = ['LICENSE', 'LICENSE.md'].map((title) => join(path, title)).find(existsSync);
    if (file === undefined) throw new Error(`${name} is in the page, and its licence is not in ${path}`);
    return `${name}\n\n${(await readFile(file, 'utf8')).trim()}`;
  });
  return (await Promise.all(texts)).join('\n\n\n');
}

function put(html: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((filled, [name, part]) => {
    const [before, after, more] = filled.split(`<!-- ${name} -->`);
    if (before === undefined || after === undefined || more !== undefined) {
      throw new Error(`page.html has to have <!-- ${name} --> once`);
    }
    return before + part + after;
  }, html);
}
