/** What a command is. Its table of options defines how arguments are parsed, the types that `run` gets, and the help. */

import type { Io } from './io.js';

export interface Command<Options extends OptionTable = OptionTable> {
  /** One word, or a group and one: `outage server`. */
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  readonly operands?: Operands;
  readonly options: Options;
  /** Paragraphs and examples after the options. */
  readonly details?: string;
  /** Returns the exit code. Errors are thrown: a `Failure` or a `PolicyError`. */
  run(given: Given<Options>, io: Io): Promise<number>;
}

/** Arguments without dashes. */
interface Operands {
  /** For the usage line: `<policy.json>`. */
  readonly usage: string;
  readonly least: number;
  readonly most: number;
}

export interface Given<Options extends OptionTable = OptionTable> {
  readonly options: { readonly [Name in keyof Options]: ValueOf<Options[Name]> };
  readonly operands: readonly string[];
}

// ---------------------------------------------------------------- options

/** By name, without the dashes. */
export type OptionTable = Readonly<Record<string, Option>>;

export type Option = Flag | Text | List | Quantity;

interface Described {
  readonly summary: string;
}

/** `--json` */
interface Flag extends Described {
  readonly kind: 'flag';
}

/** `--out report.html` */
export interface Text extends Described {
  readonly kind: 'text';
  /** The placeholder in the help: `file`. */
  readonly value: string;
  readonly default?: string;
}

/** `--policy a.json --policy b.json` */
export interface List extends Described {
  readonly kind: 'list';
  readonly value: string;
}

/** A number, or a duration: `250ms`, `2s`, `1.5m`, parsed into milliseconds; without a unit, it is in seconds. */
export interface Quantity extends Described {
  readonly kind: 'number' | 'integer' | 'duration';
  readonly default?: number;
  readonly least?: number;
  readonly most?: number;
}

/** With a default. */
export type SureQuantity = Quantity & { readonly default: number };

type ValueOf<Kind extends Option> = Kind extends Flag
  ? boolean
  : Kind extends List
    ? readonly string[]
    : Kind extends Text
      ? OrDefault<Kind, string>
      : OrDefault<Kind, number>;

type OrDefault<Kind extends Option, Value> = Kind extends { readonly default: Value }
  ? Value
  : Value | undefined;

/** Infers the types of the options for `run`. */
export function defineCommand<const Options extends OptionTable>(command: Command<Options>): Command {
  return command;
}
