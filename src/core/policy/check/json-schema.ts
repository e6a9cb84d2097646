/** The keywords of JSON Schema that the check knows, and the words in which the schema of a policy is written. */

export interface JsonSchema {
  readonly $schema?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly $ref?: string;
  /** What is allowed here, in words, if the other keywords would not say it well. */
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly const?: string | number | boolean;
  readonly enum?: readonly string[];
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  readonly minimum?: number;
  readonly maximum?: number;
  /** Anchored, and without repetition inside a repetition, so that matching takes linear time. */
  readonly pattern?: string;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  /** With `maxProperties: 1`: exactly one of the properties. */
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** Ten years. A longer wait is a mistake, for example a date in ms instead of a duration. */
const longestMs = 315_360_000_000;
export const million = 1_000_000;

export const boolean: JsonSchema = { type: 'boolean' };
export const share: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
// Tokens are counted in thousandths, so a smaller number would count as 0.
export const someTokens: JsonSchema = { type: 'number', minimum: 0.001, maximum: million };
export const tokens: JsonSchema = { anyOf: [{ const: 0 }, someTokens] };

export function ms(minimum: number): JsonSchema {
  const title = `milliseconds, from ${minimum} up to 10 years`;
  return { title, type: 'number', minimum, maximum: longestMs };
}

export function count(minimum: number): JsonSchema {
  return { type: 'integer', minimum, maximum: million };
}

export function statusFrom(minimum: number, maximum: number): JsonSchema {
  return { type: 'integer', minimum, maximum };
}

export function oneOf(...names: readonly string[]): JsonSchema {
  return { enum: names };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** At least one of them. */
export function someOf(items: JsonSchema): JsonSchema {
  return { ...listOf(items), minItems: 1 };
}

export function either(...anyOf: readonly JsonSchema[]): JsonSchema {
  return { anyOf };
}

export function ref(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}
