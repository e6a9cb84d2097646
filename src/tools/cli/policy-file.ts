/** Policies as arguments of commands: a file, `-` for stdin, or a known name. */

import type { Policy, PolicyOptions, Remark } from '../../index.js';
import { definePolicy, PolicyError, parsePolicy } from '../../index.js';
import { hedgedWrites, implausibleTimes, unreadBodies } from '../../internal.js';
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
  const options = await readJson(name, io, names);
  try {
    return parsePolicy(options);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new Failure(`${label(name)}: ${error.message}`);
  }
}

/** The JSON in a file. `names` are known names that could have been meant instead. */
export async function readJson(name: string, io: Io, names: readonly string[] = []): Promise<unknown> {
  const text = await (name === '-' ? readStdin(io.stdin) : readText(name, adviceFor(name, names)));
  try {
    return JSON.parse(text);
  } catch (error) {
    if (text.trim() === '') throw new Failure(`${label(name)} is empty.`);
    const { message } = error as SyntaxError;
    const why = `${label(name)}${placeIn(text, message)} is not JSON: ${reason(message)}. ${adviceOn(name, text)}`;
    throw new Failure(why.trimEnd());
  }
}

/** What is valid in a policy, and may be a mistake. */
export function remarksOn(policy: Policy): readonly Remark[] {
  const options = policy.toJSON();
  return [
    ...policy.remarks,
    ...implausibleTimes(options),
    ...unreadBodies(options),
    ...hedgedWrites(options),
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

/** `:line:column`, from 1, if the parser reports a position: that depends on the version of Node. */
function placeIn(text: string, message: string): string {
  const [, position] = / at position (\d+)/.exec(message) ?? [];
  const isCutOff = message.startsWith('Unexpected end');
  if (position === undefined && !isCutOff) return '';
  const before = text.slice(0, isCutOff ? text.length : Number(position)).split('\n');
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The parser's message without what we print already; it may quote the whole file. */
function reason(message: string): string {
  return message
    .replace(/ in JSON| at position \d+.*$/gs, '')
    .replace(/, \.*(".*")\.* is not valid JSON$/s, ' in $1')
    .replace(/\s+/g, ' ');
}
