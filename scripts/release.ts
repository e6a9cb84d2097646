/**
 * What has to be true before a version is released: `npm run release -- 0.5.0`. It changes nothing; it refuses with a
 * list of what is missing, or prints what is new for users and the commands that release it.
 */

import { readFileSync } from 'node:fs';
import { run } from './command.js';

/** The places that the package, the README's picture and SECURITY.md point to. No other file says them. */
interface Home {
  readonly repository: string;
  readonly bugs: string;
  readonly homepage: string;
  readonly security: string;
}

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

const [version = ''] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Readonly<Record<string, unknown>>;
const home = JSON.parse(readFileSync('.github/home.json', 'utf8')) as Home;

async function missing(): Promise<readonly string[]> {
  const changes = readFileSync('CHANGELOG.md', 'utf8');
  const dirty = (await run('git', ['status', '--porcelain'])).trim();
  const tag = (await run('git', ['tag', '--list', `v${version}`])).trim();
  return [
    ...Object.entries(home)
      .filter(([, place]) => place === '')
      .map(([name]) => `.github/home.json says no place for "${name}"`),
    ...['repository', 'bugs', 'homepage'].flatMap((name) =>
      placeIn(manifest[name]) === home[name as keyof Home]
        ? []
        : [`package.json has another "${name}" than .github/home.json, or none`],
    ),
    ...(readFileSync('SECURITY.md', 'utf8').includes(home.security || '\0')
      ? []
      : ['SECURITY.md does not name the address of .github/home.json']),
    ...(manifest['version'] === version
      ? []
      : [`package.json has the version ${manifest['version']}, not ${version}`]),
    ...(new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm').test(changes)
      ? []
      : [`CHANGELOG.md has no heading "## ${version} (year-month-day)"`]),
    ...(tag === '' ? [] : [`the tag v${version} exists`]),
    ...(dirty === '' ? [] : [`these files are not committed:\n${dirty}`]),
  ];
}

function placeIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'url' in value ? value.url : value;
}

async function printNews(): Promise<void> {
  const last = (await run('git', ['tag', '--list', 'v*', '--sort=-version:refname'])).split('\n')[0] ?? '';
  const { size, unpackedSize, entryCount } = await packed();
  console.log(`${entryCount} files, ${kilobytes(unpackedSize)} unpacked, ${kilobytes(size)} packed.`);
  if (last === '') {
    console.log('There is no release yet, so there is nothing to compare it with.');
    return;
  }
  const { dist } = JSON.parse(
    await run('npm', ['view', `${manifest['name']}@${last.slice(1)}`, '--json', 'dist']).catch(() => '{}'),
  ) as { dist?: { readonly fileCount: number; readonly unpackedSize: number } };
  if (dist !== undefined) {
    console.log(`${last} had ${dist.fileCount} files, ${kilobytes(dist.unpackedSize)} unpacked.`);
  }
  const diff = await run('git', ['diff', '--stat', '--patch', last, '--', 'fixtures/public-api.txt']);
  console.log(diff === '' ? `No name or type has changed since ${last}.` : `Since ${last}:\n${diff}`);
}

async function packed(): Promise<Packed> {
  const printed = await run('npm', ['pack', '--dry-run', '--json']);
  const [first] = JSON.parse(printed.slice(printed.indexOf('['))) as Packed[];
  if (first === undefined) throw new Error('npm pack said nothing');
  return first;
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1_000).toLocaleString('en')} kB`;
}

if (!/^\d+\.\d+\.\d+$/.test(version)) {
  console.error('Which version? For example: npm run release -- 0.5.0');
  process.exitCode = 2;
} else {
  const problems = await missing();
  if (problems.length > 0) {
    console.error(
      `${version} cannot be released:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    process.exitCode = 1;
  } else {
    await printNews();
    console.log(`\nTo release it:\n  git tag v${version}\n  git push origin v${version}`);
  }
}
