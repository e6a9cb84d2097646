/** Policies as arguments of commands: a file, `-` for stdin, or a known name. */

import type { Policy, PolicyOptions, Problem, Remark } from '../../index.js';
import { definePolicy, PolicyError, parsePolicy } from '../../index.js';
import {
  checkPolicy,
  endlessQueues,
  hedgedWrites,
  implausibleTimes,
  longPolls,
  streamStarts,
  unreadBodies,
} from '../../internal.js';
import { readJsonText } from '../pages/json-text.js';
import { dataPolicyNames, policyNamed } from '../sim/internal.js';
import { didYouMean } from './arguments.js';
import { Failure } from './failure.js';
import { readStdin, readText } from './files.js';
import type { Io } from './io.js';

/** Checked: problems are a `Failure` that names the file, with one line for each. `names` are the names that the command knows. */
export async function readPolicy(
  name: string,
  io: Io,
  names: readonly string[] = dataPolicyNames,
): Promise<PolicyOptions> {
  const named = policyNamed(name);
  if (named !== undefined) return named;
  return (await definedIn(name, io, names)).toJSON();
}

/** The same, ready for use. */
export async function readDefined(name: string, io: Io): Promise<Policy> {
  const named = policyNamed(name);
  return named === undefined ? definedIn(name, io, dataPolicyNames) : definePolicy(named);
}

async function definedIn(name: string, io: Io, names: readonly string[]): Promise<Policy> {
  const { value, twice } = await readJson(name, io, names);
  const problems = [...twice, ...checkPolicy(value)];
  if (problems.length === 0) return parsePolicy(value);
  throw new Failure(`${label(name)}: ${new PolicyError(problems).message}`);
}

interface JsonFile {
  readonly value: unknown;
  /** Keys that an object has twice. */
  readonly twice: readonly Problem[];
}

/** The JSON in a file. `names` are known names that could have been meant instead. */
export async function readJson(name: string, io: Io, names: readonly string[] = []): Promise<JsonFile> {
  const text = await (name === '-' ? readStdin(io.stdin) : readText(name, adviceFor(name, names)));
  const read = readJsonText(text);
  if (read.kind === 'read') return read;
  if (text.trim() === '') throw new Failure(`${label(name)} is empty.`);
  const { line, column, expected } = read;
  const why = `${label(name)}:${line}:${column} is not JSON: ${expected}. ${adviceOn(name, text)}`;
  throw new Failure(why.trimEnd());
}

/** What is valid in a policy, and may be a mistake. */
export function remarksOn(policy: Policy): readonly Remark[] {
  const options = policy.toJSON();
  return [
    ...policy.remarks,
    ...implausibleTimes(options),
    ...longPolls(options),
    ...unreadBodies(options),
    ...streamStarts(options),
    ...hedgedWrites(options),
    ...endlessQueues(options),
  ];
}

export function remarkText({ path, says, advice }: Remark): string {
  return `${path}: ${says}. ${advice}`;
}

/** The name of a file in messages. */
export function label(name: string): string {
  return name === '-' ? 'stdin' : name;
}

function adviceFor(name: string, names: readonly string[]): string {
  // With a dot or a slash, it is a file.
  if (names.length === 0 || /[./\\]/.test(name)) return '';
  return didYouMean(name, names) || `Known names: ${names.join(', ')}.`;
}

/** What is written by hand instead of JSON. */
function adviceOn(name: string, text: string): string {
  if (/\.ya?ml$/i.test(name) || /^\s*[\w$]+:/.test(text)) return 'Convert it from YAML to JSON.';
  if (/\.[cm]?[jt]sx?$/i.test(name)) return 'Let the program print its policy: JSON.stringify(policy).';
  if (!/^\s*[{/]/.test(text)) return '';
  if (/^\s*\/[/*]/m.test(text)) return 'JSON has no comments.';
  return /[{,]\s*['\w$]+\s*:/.test(text) ? 'JSON has its keys in double quotes.' : '';
}
