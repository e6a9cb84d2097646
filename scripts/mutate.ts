/**
 * Mutation tests of the core, room by room: a mutant meets the tests of its own room only. That is stricter
 * than all tests together, and hours shorter. `npm run mutate -- hints` does one room.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface Room {
  readonly name: string;
  /** Below `src/core/`. */
  readonly mutate: readonly string[];
  /** Below `test/`. */
  readonly tests: readonly string[];
}

const rooms: readonly Room[] = [
  {
    name: 'deciding',
    mutate: [
      'explain.ts',
      ...filesOf('classify decide failure failures safety', 'decide/'),
      ...filesOf('admit answers gate hold', 'limits/'),
    ],
    tests: [
      ...filesOf('classify decide', 'core/decide/', '.test'),
      ...filesOf('admit answers gate hold', 'core/limits/', '.test'),
      'runtime/session.test.ts',
    ],
  },
  {
    name: 'waiting',
    mutate: ['limits/budget.ts', 'decide/schedule.ts', 'policy/presets.ts'],
    tests: ['core/limits/budget.test.ts', 'core/decide/schedule.test.ts', 'core/policy/presets.test.ts'],
  },
  {
    name: 'policy',
    mutate: [...filesOf('policy fill-in defaults', 'policy/'), ...filesOf('errors freeze returned')],
    tests: [
      ...filesOf('policy fill-in defaults', 'core/policy/', '.test'),
      ...filesOf('errors returned', 'core/', '.test'),
    ],
  },
  {
    name: 'routes',
    mutate: ['policy/routes/*.ts'],
    tests: ['core/policy/routes/*.test.ts'],
  },
  {
    name: 'check',
    mutate: ['policy/check/*.ts', '!policy/check/described-schema.ts'],
    tests: [
      'core/policy/check/check.test.ts',
      'core/policy/policy.test.ts',
      'core/policy/check/nearest.test.ts',
      'core/policy/check/remarks.test.ts',
      'core/policy/check/unread-bodies.test.ts',
    ],
  },
  {
    name: 'hints',
    mutate: ['hints/*.ts', 'hints/signals/*.ts', '!hints/origins.ts'],
    tests: ['core/hints/!(hostile).test.ts'],
  },
];

function filesOf(names: string, folder = '', ending = ''): string[] {
  return names.split(' ').map((name) => `${folder}${name}${ending}.ts`);
}

const enough = 85;

interface Mutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: { readonly line: number } };
}

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>;
}

interface Score {
  readonly killed: number;
  readonly survived: number;
}

function run({ name, mutate, tests }: Room): Score {
  console.log(`\n${name}: ${mutate.join(' ')}`);
  const sources = mutate.map((file) => file.replace(/^!?/, '$&src/core/')).join();
  const env = { ...process.env, MUTATION_TESTS: tests.map((file) => `test/${file}`).join(' ') };
  const { status } = spawnSync('npx', ['--no-install', 'stryker', 'run', '--mutate', sources], {
    stdio: 'inherit',
    env,
  });
  if (status !== 0) throw new Error(`Stryker ended with ${status} in the room ${name}`);
  return scoreOf(JSON.parse(readFileSync('reports/mutation.json', 'utf8')) as Report);
}

function scoreOf({ files }: Report): Score {
  const mutants = Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants.map((mutant) => ({ ...mutant, file })),
  );
  const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  for (const { file, location, mutatorName, replacement = '' } of survivors) {
    console.log(
      `  ${file}:${location.start.line}  ${mutatorName}  ${replacement.replace(/\s+/g, ' ').slice(0, 80)}`,
    );
  }
  const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  return { killed, survived: survivors.length };
}

function percent({ killed, survived }: Score): number {
  return (100 * killed) / (killed + survived);
}

const asked = process.argv.slice(2);
const scores = rooms
  .filter(({ name }) => asked.length === 0 || asked.includes(name))
  .map((room) => ({ name: room.name, ...run(room) }));
const total = scores.reduce(
  (sum, { killed, survived }) => ({ killed: sum.killed + killed, survived: sum.survived + survived }),
  { killed: 0, survived: 0 },
);
console.log('\nroom                 killed  survived  score');
for (const score of [...scores, { name: 'all', ...total }]) {
  const numbers = [String(score.killed).padStart(6), String(score.survived).padStart(8)];
  console.log(`${score.name.padEnd(20)} ${numbers.join('  ')}  ${percent(score).toFixed(1)} %`);
}
process.exitCode = percent(total) >= enough ? 0 : 1;
