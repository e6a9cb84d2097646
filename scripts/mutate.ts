/**
 * Mutation tests, room by room: each mutant runs only against the tests of its own room. That is stricter than all tests
 * together, and hours shorter. `npm run mutate` tests the rooms of the core, `npm run mutate -- hints` one room.
 *
 * The adapters' tests open sockets, and a mutant that leaves a request pending costs the whole timeout of a test. So
 * `npm run mutate -- undici --sample 5` takes every fifth mutant, and
 * `npm run mutate -- undici --only 'adapters/undici/resume.ts adapters/undici/aside.ts'` all mutants of some files.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

interface Room {
  readonly name: string;
  /** Below `src/`. */
  readonly mutate: readonly string[];
  /** Below `test/`. */
  readonly tests: readonly string[];
  /** The subject of the suites among its tests. */
  readonly subject?: string;
  /** The least score of each of these files. */
  readonly enoughOfEach?: { readonly percent: number; readonly files: RegExp };
}

const roomsOfCore = [
  {
    name: 'deciding',
    mutate: [
      'explain.ts',
      ...filesOf('classify decide safety', 'decide/'),
      'decide/failures/*.ts',
      ...filesOf('admission signs', 'limits/'),
      'limits/gate/*.ts',
      'limits/hold/*.ts',
      '!limits/*/check.ts',
    ],
    tests: [
      ...filesOf('classify decide', 'core/decide/', '.test'),
      ...filesOf('admit gate hold sample trial', 'core/limits/', '.test'),
      'kernel/session.test.ts',
    ],
  },
  {
    name: 'tail',
    mutate: ['limits/latency/*.ts'],
    tests: ['core/limits/latency/*.test.ts'],
  },
  {
    name: 'waiting',
    mutate: [
      'limits/budget/*.ts',
      '!limits/*/check.ts',
      ...filesOf('schedule round-trips', 'decide/'),
      ...filesOf('presets schemes', 'policy/'),
    ],
    tests: [
      'core/limits/budget.test.ts',
      ...filesOf('schedule round-trips', 'core/decide/', '.test'),
      ...filesOf('presets schemes', 'core/policy/', '.test'),
    ],
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
    mutate: ['policy/check/*.ts', 'limits/*/check.ts'],
    tests: [
      'core/policy/check/check.test.ts',
      'core/policy/policy.test.ts',
      'core/policy/check/nearest.test.ts',
      'core/policy/check/remarks.test.ts',
      'core/policy/check/unread-bodies.test.ts',
      'core/policy/check/endless-queues.test.ts',
      'core/policy/check/tail.test.ts',
    ],
  },
  {
    name: 'hints',
    mutate: ['hints/*.ts', '!hints/origins.ts'],
    tests: ['core/hints/!(hostile).test.ts'],
  },
].map((room): Room => ({ ...room, mutate: room.mutate.map((file) => file.replace(/^!?/, '$&core/')) }));

/** What all limits have in common, and concurrency, most of which is in the kernel: it counts, and keeps a line. */
const limits: Room = {
  name: 'limits',
  mutate: [
    'core/limits/all.ts',
    'core/limits/ask.ts',
    'core/limits/concurrency/!(check).ts',
    'kernel/limits/*.ts',
  ],
  tests: [
    ...filesOf('admit all concurrency', 'core/limits/', '.test'),
    'kernel/limits/!(concurrency-scripts).test.ts',
    ...filesOf('session retrier stalls history', 'kernel/', '.test'),
    'fleet/!(slow-store|urgent).test.ts',
  ],
  enoughOfEach: { percent: 80, files: /kernel.limits.(gate|hold|budget)\.ts$/ },
};

/** Tests that take seconds or play thousands of scripts: they catch few mutants that the others miss. */
const slow =
  'fuzz|differential|failures|bodies-gateway|times-process|times-alive|times-undici|contract-controller|unsent-recovers|held';

const adapters: readonly Pick<Room, 'name' | 'mutate'>[] = [
  { name: 'undici', mutate: ['adapters/undici/**/*.ts'] },
  // With what promise clients share.
  { name: 'axios', mutate: ['adapters/axios/**/*.ts', 'drivers/loop/**/*.ts'] },
  { name: 'fetch', mutate: ['adapters/fetch/**/*.ts'] },
];

const roomsOfAdapters = adapters.map(
  (room): Room => ({
    ...room,
    tests: [
      ...[room.name, 'suites'].map((folder) => `adapters/${folder}/!(${slow}).test.ts`),
      `conformance/${room.name}.test.ts`,
    ],
    subject: room.name,
  }),
);

function filesOf(names: string, folder = '', ending = ''): string[] {
  return names.split(' ').map((name) => `${folder}${name}${ending}.ts`);
}

const enough = 85;

interface Mutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: { readonly line: number; readonly column: number } };
}

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>;
}

interface RoomScore extends Score {
  readonly name: string;
  /** Files that have too low a score of their own, with it. */
  readonly tooLow: readonly string[];
}

interface Score {
  readonly killed: number;
  /** How many of the killed ones were killed by a timeout. */
  readonly timedOut: number;
  readonly survived: number;
}

function run({ name, mutate, tests, subject, enoughOfEach }: Room): RoomScore {
  console.log(`\n${name}: ${mutate.join(' ')}`);
  const sources = mutate.map((file) => file.replace(/^!?/, '$&src/')).join();
  const args = ['--no-install', 'stryker', 'run', '--mutate', sources];
  if (sample > 1) args.push('--appendPlugins', './.build/scripts/mutation-sample.js', '--checkers', 'sample');
  // Two runs that keep sockets waiting would disturb each other's timing.
  if (subject !== undefined) args.push('--concurrency', '1');
  const env = {
    ...process.env,
    MUTATION_TESTS: tests.map((file) => `test/${file}`).join(' '),
    MUTATION_SAMPLE: String(sample),
    ...(subject !== undefined && { MUTATION_TEST_MS: '10000', SUBJECT: subject }),
  };
  const { status } = spawnSync('npx', args, { stdio: 'inherit', env });
  if (status !== 0) throw new Error(`Stryker ended with ${status} in the room ${name}`);
  const { files } = JSON.parse(readFileSync('reports/mutation.json', 'utf8')) as Report;
  const mutants = Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants.map((mutant) => ({ ...mutant, file })),
  );
  const ofEach = Object.keys(files)
    .filter((file) => enoughOfEach?.files.test(file))
    .map((file) => ({ file, score: percent(scoreOf(mutants.filter((mutant) => mutant.file === file))) }));
  const said = ({ file, score }: (typeof ofEach)[number]): string => `${file}: ${score.toFixed(1)} %`;
  tellSurvivors(mutants);
  for (const each of ofEach) console.log(`  ${said(each)}`);
  const tooLow = ofEach.filter(({ score }) => score < (enoughOfEach?.percent ?? 0)).map(said);
  return { name, ...scoreOf(mutants), tooLow };
}

type Located = Mutant & { readonly file: string };

const survivedAs = ['Survived', 'NoCoverage'];

function tellSurvivors(mutants: readonly Located[]): void {
  const survivors = mutants.filter(({ status }) => survivedAs.includes(status));
  for (const { file, location, mutatorName, replacement = '' } of survivors) {
    const { line, column } = location.start;
    console.log(
      `  ${file}:${line}:${column}  ${mutatorName}  ${replacement.replace(/\s+/g, ' ').slice(0, 80)}`,
    );
  }
}

function scoreOf(mutants: readonly Mutant[]): Score {
  const having = (...statuses: string[]) => mutants.filter(({ status }) => statuses.includes(status));
  const timedOut = having('Timeout').length;
  // An uncaught exception outside of a test fails the whole run, which Stryker calls an error.
  const killed = having('Killed', 'RuntimeError').length + timedOut;
  return { killed, timedOut, survived: having(...survivedAs).length };
}

function percent({ killed, survived }: Score): number {
  return (100 * killed) / (killed + survived);
}

const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string', default: '1' }, only: { type: 'string' } },
});
const sample = Number(values.sample);
const rooms =
  asked.length === 0
    ? [...roomsOfCore, limits]
    : [...roomsOfCore, limits, ...roomsOfAdapters].filter(({ name }) => asked.includes(name));
const scores = rooms.map((room) => {
  const mutate = values.only === undefined ? room.mutate : values.only.split(' ');
  return run({ ...room, mutate });
});
const total = scores.reduce(
  (sum, { killed, timedOut, survived }) => ({
    killed: sum.killed + killed,
    timedOut: sum.timedOut + timedOut,
    survived: sum.survived + survived,
  }),
  { killed: 0, timedOut: 0, survived: 0 },
);
console.log('\nroom                 killed  by time  survived  score');
for (const score of [...scores, { name: 'all', ...total }]) {
  const { name, killed, timedOut, survived } = score;
  const numbers = [`${killed}`.padStart(6), `${timedOut}`.padStart(7), `${survived}`.padStart(8)];
  console.log(`${name.padEnd(20)} ${numbers.join('  ')}  ${percent(score).toFixed(1)} %`);
}
const tooLow = scores.flatMap((score) => score.tooLow);
for (const said of tooLow) console.log(`too low: ${said}`);
process.exitCode = percent(total) >= enough && tooLow.length === 0 ? 0 : 1;
