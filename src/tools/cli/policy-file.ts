/** Policies as commands are given them: the name of a file, `-` for stdin, or a name that is known without one. */

import type { Policy, PolicyOptions, Remark } from '../../index.js';
import { definePolicy, PolicyError, parsePolicy } from '../../index.js';
import { implausibleTimes, unreadBodies } from '../../internal.js';
import { dataPolicyNames, policyNamed } from '../sim/internal.js';
import { didYouMean } from './arguments.js';
import { Failure } from './failure.js';
import { readStdin, readText } from './files.js';
import type { Io } from './io.js';

/**
 * Checked. What is wrong is a failure that names the file, with one line for each problem. `names` are all that the
 * command knows without a file.
 */
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

/** Whatever JSON is in a file. `names` are what could have been meant instead of one. */
export async function readJson(name: string, io: Io, names: readonly string[] = []): Promise<unknown> {
  const text = await (name === '-' ? readStdin(io.stdin) : readText(name, adviceFor(name, names)));
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    throw new Failure(`${label(name)}${placeIn(text, message)} is not JSON: ${reason(message)}.`);
  }
}

/** What is valid in a policy, and may be a mistake. */
export function remarksOn(policy: Policy): readonly Remark[] {
  const options = policy.toJSON();
  return [...policy.remarks, ...implausibleTimes(options), ...unreadBodies(options)];
}

export function remarkText({ path, says, advice }: Remark): string {
  return `${path}: ${says}. ${advice}`;
}

/** A file as messages name it. */
export function label(name: string): string {
  return name === '-' ? 'stdin' : name;
}

function adviceFor(name: string, names: readonly string[]): string {
  // With a dot or a slash, it is a file.
  if (names.length === 0 || /[./\\]/.test(name)) return '';
  return didYouMean(name, names) || `Known names: ${names.join(', ')}.`;
}

/** `:line:column`, from 1, as far as the parser tells where: it depends on the version of Node. */
function placeIn(text: string, message: string): string {
  const [, position] = / at position (\d+)/.exec(message) ?? [];
  const isCutOff = message.startsWith('Unexpected end');
  if (position === undefined && !isCutOff) return '';
  const before = text.slice(0, isCutOff ? text.length : Number(position)).split('\n');
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** What the parser says, without what is said already; a whole file may be quoted in it. */
function reason(message: string): string {
  return message
    .replace(/ in JSON| at position \d+.*$/gs, '')
    .replace(/, (\.*".*"\.*) is not valid JSON$/s, ' in $1')
    .replace(/\s+/g, ' ');
}
