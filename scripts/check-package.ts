/**
 * The package as a user gets it: packed, linted, installed into an empty folder, imported, required and compiled against
 * with `skipLibCheck: false`, alone and together with the oldest and the newest clients. Prints one line per check, and
 * then their number.
 */

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { bundle, pageWith } from '../bench/bundling.js';
import { clients } from './clients.js';
import { finished, outputOf, run } from './command.js';
import {
  type Consumer,
  compile,
  consumerOf,
  coreConsumer,
  type Manner,
  maker,
  manners,
  oldestTypeScript,
  passedAcross,
} from './consumers.js';
import { apiFiles } from './docs/api.js';
import { blocksIn, isTestFile, pages } from './docs/pages.js';
import { allEntries, libraryEntries, nameInDist, toolEntries } from './entries.js';
import { isRecipe } from './everywhere/sdks/sdks.js';
import { followSourceMaps } from './source-maps.js';
import { installInto, manifestOf, nodeTypes } from './versions.js';

const folder = mkdtempSync(join(tmpdir(), 'package-'));
let passed = 0;
let failed = 0;

async function check(name: string, verify: () => Promise<unknown>): Promise<void> {
  try {
    await verify();
    passed += 1;
    console.log(`  ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`  FAILED  ${name}\n${outputOf(error)}`);
  }
}

function assert(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

function tarball(): string {
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no tarball');
}

async function checkPacked(): Promise<void> {
  await check('builds', () => run('npm', ['run', 'build']));
  await check('docs/api.md and the list of public names are up to date (npm run docs)', async () => {
    for (const [file, text] of Object.entries(apiFiles())) {
      assert(readFileSync(file, 'utf8') === text, `${file} is not`);
    }
  });
  await check('packs', () => run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]));
  await check('publint finds nothing', async () => {
    const findings = await run('npx', ['--no-install', 'publint', 'run', tarball(), '--strict']);
    assert(!/warning|error/i.test(findings), findings);
  });
  const attw = (...options: readonly string[]): Promise<string> =>
    run('npx', ['--no-install', 'attw', tarball(), ...options]);
  const tools = Object.keys(toolEntries);
  await check('the types resolve (attw)', () =>
    attw('--profile', 'node16', '--exclude-entrypoints', ...tools),
  );
  await check('the types of the tools resolve in ES modules (attw)', () =>
    attw('--profile', 'esm-only', '--entrypoints', ...tools),
  );
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  await run('tar', ['-xzf', tarball(), '-C', unpacked]);
  const files = readdirSync(join(unpacked, 'package'), { recursive: true, encoding: 'utf8' });
  await check('ships the schema, and nothing but what it needs', async () => {
    assert(files.includes('dist/schema.json'), 'dist/schema.json is missing');
    const strays = files.filter(
      (file) => !/^(dist|docs|skills)(\/|$)|^(package\.json|llms\.txt)$|^[A-Z]+(\.md)?$/.test(file),
    );
    assert(strays.length === 0, strays.join('\n'));
  });
  await check('stack traces end in TypeScript, which the maps carry', async () =>
    followSourceMaps(join(unpacked, 'package')),
  );
  await check('no entry of the library loads a tool', async () => {
    for (const entry of Object.keys(libraryEntries)) {
      for (const extension of ['js', 'cjs']) {
        const loaded = loadedBy(join(unpacked, 'package/dist'), `${nameInDist(entry)}.${extension}`);
        assert(!/^(cli|sim|tools)\./m.test(loaded.join('\n')), `${entry} loads ${loaded.join(', ')}`);
      }
    }
  });
  await check('a light entry loads no part', async () => {
    for (const entry of ['light', 'light/fetch', 'light/axios']) {
      for (const extension of ['js', 'cjs']) {
        const loaded = loadedBy(join(unpacked, 'package/dist'), `${entry}.${extension}`);
        assert(!loaded.includes(`engine.${extension}`), `${entry} loads ${loaded.join(', ')}`);
      }
    }
  });
  await check('a page carries no more of it than docs/runtimes.md says', async () => {
    const { gzipped } = await bundle(pageWith('fetch', []), { dist: join(unpacked, 'package/dist') });
    const [, said] =
      /\| the essentials alone \| ([\d.]+) kB/.exec(readFileSync('docs/runtimes.md', 'utf8')) ?? [];
    console.log(`          ${gzipped} kB`);
    assert(gzipped < Number(said) + 0.5, `${gzipped} kB, not ${said}`);
  });
  await check('is small', async () => {
    const size = (file: string): number => statSync(join(unpacked, 'package', file)).size;
    const all = files.filter((file) => statSync(join(unpacked, 'package', file)).isFile());
    const found: Readonly<Record<keyof typeof most, number>> = {
      files: all.length,
      unpacked: all.reduce((sum, file) => sum + size(file), 0),
      packed: statSync(tarball()).size,
    };
    console.log(
      `          ${Object.entries(found)
        .map(([name, value]) => `${name}: ${value.toLocaleString('en')}`)
        .join(', ')}`,
    );
    for (const [name, bound] of Object.entries(most)) {
      assert(found[name as keyof typeof most] <= bound, `${name}: more than ${bound.toLocaleString('en')}`);
    }
  });
}

/** Each install pays for it: files, and bytes. */
const most = { files: 120, unpacked: 4_500_000, packed: 1_100_000 } as const;

/** The file itself, and all of `dist` that it loads as soon as it is loaded. */
function loadedBy(dist: string, file: string, loaded: string[] = []): readonly string[] {
  if (loaded.includes(file)) return loaded;
  loaded.push(file);
  const text = readFileSync(join(dist, file), 'utf8');
  for (const [, name = ''] of text.matchAll(/(?:from |^import |\brequire\()["'](\.{1,2}\/[\w./-]+)["']/gm)) {
    loadedBy(dist, join(dirname(file), name), loaded);
  }
  return loaded;
}

/** The entries that load their peer; the others only use the types of their clients. */
const telemetry = {
  entry: './otel',
  packages: ['@opentelemetry/api', '@opentelemetry/instrumentation-undici@0.33.0'],
} as const;

/** Without any client installed, every entry loads, and the core compiles. */
async function checkAlone(): Promise<void> {
  const alone = join(folder, 'alone');
  await check('installs into an empty folder', () => installInto(alone, [tarball()]));
  for (const entry of Object.keys(allEntries)) {
    if (entry !== telemetry.entry) await checkLoading(entry, alone);
  }
  for (const manner of manners) {
    await check(`${manner.name} compiles`, () => compile(coreConsumer, manner, alone));
  }
}

/** This works without any client as well. */
async function checkCommandLine(): Promise<void> {
  const alone = join(folder, 'alone');
  const undaunted = (...args: string[]): Promise<string> =>
    run('npx', ['--no-install', 'undaunted', ...args], alone);
  await check('undaunted --version', async () => {
    const { version } = manifestOf('undaunted', alone);
    assert((await undaunted('--version')).trim() === version, `is not ${version}`);
  });
  await check('undaunted check knows a good policy from a bad one', async () => {
    const [good, bad] = [join(alone, 'good.json'), join(alone, 'bad.json')];
    writeFileSync(good, '{ "maxRetries": 3 }');
    writeFileSync(bad, '{ "maxRetry": 3 }');
    await undaunted('check', good);
    const { code, stdout } = await failureOf(undaunted('check', bad));
    assert(code === 1 && stdout.includes('maxRetries'), `exits with ${code}: ${stdout}`);
  });
  await check('undaunted simulate writes a report', async () => {
    await undaunted('simulate', 'surge', '--out', 'report.html');
    const report = readFileSync(join(alone, 'report.html'), 'utf8');
    assert(report.startsWith('<!doctype html>') && report.includes('"surge"'), report.slice(0, 200));
  });
  await check('undaunted lab writes its page', async () => {
    await undaunted('lab', 'surge', '--out', 'lab.html');
    const page = readFileSync(join(alone, 'lab.html'), 'utf8');
    assert(page.startsWith('<!doctype html>') && page.includes('"entries":[]'), page.slice(0, 200));
  });
  await check('undaunted outage clients says that undici is missing', async () => {
    const { code, stderr } = await failureOf(undaunted('outage', 'clients'));
    assert(code === 2 && stderr.includes('npm install undici'), `exits with ${code}: ${stderr}`);
  });
}

interface ProgramFailure {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function failureOf(program: Promise<string>): Promise<ProgramFailure> {
  return program.then(
    (stdout) => ({ code: 0, stdout, stderr: '' }),
    (error: ProgramFailure) => error,
  );
}

/** The code in the README and docs/ compiles as TypeScript wherever it is copied. */
async function checkDocs(place: string): Promise<void> {
  // A block that imports an SDK or a framework is compiled where that is installed, and one with tests by `npm test`.
  const blocks = pages()
    .flatMap((page) => blocksIn(page, 'ts'))
    .filter((block) => !isRecipe(block.code) && !isTestFile(block));
  const others = blocks.map(({ page, line, code }) => {
    const file = `${page.replace(/\W/g, '-')}-${line}.mts`;
    writeFileSync(join(place, file), code);
    return file;
  });
  const consumer: Consumer = { source: '', ground: { lib: ['es2023'], types: ['node'] }, others };
  await check(`the ${blocks.length} blocks of the README and docs/ compile`, async () => {
    assert(blocks.length > 30, 'they were not found');
    await compile(consumer, manners[0], place);
  });
}

async function checkLoading(path: string, place: string): Promise<void> {
  const entry = `undaunted${path.slice(1)}`;
  const isEmpty = "throw new Error('empty')";
  await check(`import ${entry}`, () => {
    const code = `import * as entry from '${entry}'; if (!Object.keys(entry).length) ${isEmpty}`;
    return run('node', ['--input-type=module', '-e', code], place);
  });
  await check(`require ${entry}`, () => {
    const code = `if (!Object.keys(require('${entry}')).length) ${isEmpty}`;
    return run('node', ['--input-type=commonjs', '-e', code], place);
  });
  await check(`${entry} is one, imported and required`, async () => {
    const code = `import * as entry from '${entry}';
      const required = process.getBuiltinModule('module').createRequire(process.cwd() + '/any.js')('${entry}');
      const others = Object.keys(entry).filter((name) => required[name] !== entry[name]);
      if (others.length > 0) throw new Error('others: ' + others);`;
    await run('node', ['--input-type=module', '-e', code], place);
  });
  if (path in toolEntries) return;
  await check(`${entry} as CommonJS, and a policy passed to and fro`, async () => {
    const file = `./node_modules/undaunted/dist/${nameInDist(path)}.cjs`;
    const code = `const entry = require('${file}'); if (!Object.keys(entry).length) ${isEmpty};
      const commonjs = require('./node_modules/undaunted/dist/index.cjs');
      const esm = require('undaunted');
      if (commonjs.definePolicy === esm.definePolicy) throw new Error('there is only one');
      for (const [maker, taker] of [[esm, commonjs], [commonjs, esm]]) {
        const { policy } = taker.createRetrier(maker.definePolicy({ maxRetries: 7 }));
        if (policy.fallback.settings.maxRetries !== 7) throw new Error('is not taken');
      }`;
    await run('node', ['--input-type=commonjs', '-e', code], place);
  });
}

async function checkBeside(age: 'oldest' | 'newest'): Promise<void> {
  const beside = join(folder, age);
  const packages = clients.map(
    ({ name, versions }) => `${name}@${versions.at(age === 'oldest' ? 0 : -1)?.version}`,
  );
  await check(`installs beside the ${age} clients`, () =>
    installInto(beside, [tarball(), nodeTypes(), ...telemetry.packages, ...packages]),
  );
  await checkLoading(telemetry.entry, beside);
  if (age === 'newest') await checkDocs(beside);
  for (const client of clients) {
    for (const manner of manners) {
      const { version } = manifestOf(client.name, beside);
      await check(`${manner.name} with ${client.name} ${version} compiles`, () =>
        compile(consumerOf(client), manner, beside),
      );
    }
  }
  if (age === 'newest') await checkAcross(beside);
  if (age === 'newest') await checkOldestTypeScript(beside);
}

/** By both module resolutions of Node: with the older one, each module format has its own declarations. */
async function checkAcross(place: string, typescript?: string): Promise<void> {
  writeFileSync(join(place, 'maker.cts'), maker);
  for (const module of ['node16', 'nodenext']) {
    const manner: Manner = { name: module, file: 'consumer.mts', options: { module } };
    await check(
      `what CommonJS made is taken by an ES module (${module}${typescript ? ', oldest' : ''})`,
      () => compile(passedAcross, manner, place, typescript),
    );
  }
}

async function checkOldestTypeScript(place: string): Promise<void> {
  const home = join(folder, 'typescript');
  await check(`installs TypeScript ${oldestTypeScript}`, () =>
    installInto(home, [`typescript@${oldestTypeScript}`]),
  );
  const typescript = join(home, 'node_modules/typescript/bin/tsc');
  const consumers = {
    'the core': coreConsumer,
    ...Object.fromEntries(clients.map((client) => [client.name, consumerOf(client)])),
  };
  for (const manner of manners) {
    for (const [name, consumer] of Object.entries(consumers)) {
      await check(`${manner.name} with ${name} compiles by TypeScript ${oldestTypeScript}`, () =>
        compile(consumer, manner, place, typescript),
      );
    }
  }
  await checkAcross(place, typescript);
}

/** As people take it that have a checkout, or only its address. */
async function checkFromSource(): Promise<void> {
  const clone = join(folder, 'clone');
  await run('git', ['clone', '--quiet', resolve('.'), clone]);
  const loads = (place: string): Promise<string> =>
    run('node', ['--input-type=module', '-e', "await import('undaunted/fetch')"], place);
  const takenFrom = async (name: string, address: string, env?: NodeJS.ProcessEnv): Promise<void> => {
    const place = join(folder, name);
    await installInto(place, [address], [], env);
    await loads(place);
  };
  await check('installs from git, on CI as well', () =>
    takenFrom('from-git', `git+file://${clone}`, { ...process.env, CI: '1' }),
  );
  await check('npm pack without a compiler says what to do', async () => {
    const { stdout, stderr } = await finished('npm', ['pack', '--foreground-scripts', '--dry-run'], clone);
    assert(/run npm ci in .*clone first/.test(`${stdout}${stderr}`), stderr);
  });
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
  await check('installs from a folder with its own packages', () => takenFrom('from-folder', clone));
  await check('a checkout runs each command, without building again what stands', async () => {
    const policy = join(folder, 'policy.json');
    writeFileSync(policy, '{ "maxRetries": 3 }');
    const built = statSync(join(clone, 'dist/index.js')).mtimeMs;
    await run('npm', ['run', 'undaunted', '--', 'check', policy], clone);
    assert(statSync(join(clone, 'dist/index.js')).mtimeMs === built, 'it was built again');
  });
}

try {
  await checkPacked();
  await checkFromSource();
  await checkAlone();
  await checkCommandLine();
  await checkBeside('oldest');
  await checkBeside('newest');
} finally {
  rmSync(folder, { recursive: true });
}

console.log(`package: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
