/** Options as the light entries take them: a setting whose part is not in the list is an error where it is written. */

import type { OwnHints } from '../core/hints/own.js';
import type { ownKey } from '../core/hints/rows.js';
import type { AskedFirst } from '../core/limits/all.js';
import type { BucketOptions, WindowOptions } from '../core/limits/budget/setting.js';
import type { OverrideOptions, PolicyOptions, RuleOptions, SettingsOptions } from '../core/policy/options.js';
import type { Part } from '../core/policy/parts.js';

type NamesIn<List extends readonly Part[]> = List[number]['part'] | Needed<List[number]>;

/** What a part brings along. */
type Needed<One> = One extends { readonly needs: readonly (infer Need extends Part)[] }
  ? Need['part']
  : never;

type SetsIn<One> = One extends { readonly sets: infer Sets } ? Meant<keyof Sets> : never;

type Meant<Key> = Key extends typeof ownKey ? OwnHints : Key;

type Needs<
  Name extends string,
  Entry extends string = '',
> = `needs import { ${Name} } from 'undaunted/parts${Entry}'`;

/** The option, if there is its part. */
type With<List extends readonly Part[], Name extends string, Option, Off, Entry extends string = ''> =
  Name extends NamesIn<List> ? Option : Off | Needs<Name, Entry>;

/** Of sets that are not in the list: all of them have one sentence, since an error shows the whole union. */
type NeedsSet = "needs its import from 'undaunted/parts/hints'";

/** The kind is what is wrong, so it is there that an editor says it. */
interface WithoutWindow extends Omit<WindowOptions, 'kind'> {
  readonly kind: Needs<'slidingWindow'>;
}

type Allowed<List extends readonly Part[], Key, Option> = Key extends AskedFirst | 'hedge'
  ? With<List, Key, Option, false>
  : Key extends 'retryIf' | 'beforeRetry'
    ? With<List, 'hooks', Option, never>
    : Key extends 'scope'
      ? With<List, 'hooks', Option, Exclude<Option, (...given: never[]) => unknown>>
      : Key extends 'budget'
        ? With<List, 'slidingWindow', Option, BucketOptions | false | WithoutWindow>
        : Key extends 'credentials' | 'streamStart'
          ? With<List, Key, Option, false>
          : Key extends 'attemptTimeoutMs'
            ? With<List, 'adaptiveTimeout', Option, number>
            : Key extends 'bufferBodyBytes'
              ? With<List, 'streams', Option, 0>
              : Key extends 'wholeBodyBytes'
                ? With<List, 'wholeAnswers', Option, 0>
                : Key extends 'bodyHintBytes'
                  ? With<List, 'bodyHints', Option, 0, '/hints'>
                  : Key extends 'deadlineCovers'
                    ? With<List, 'bodyDeadline', Option, 'head'>
                    : Key extends 'hints'
                      ?
                          | ('standard' | 'common' | SetsIn<List[number]> | NeedsSet)
                          | readonly ('standard' | 'common' | SetsIn<List[number]> | NeedsSet)[]
                          | false
                      : Key extends 'rules'
                        ? With<List, 'rules', readonly RuleWith<List>[], never>
                        : Option;

/** The options of a policy that is defined with these parts. */
export type PolicyWith<List extends readonly Part[]> = {
  [Key in keyof PolicyOptions]: Allowed<List, Key, PolicyOptions[Key]>;
};

/** A rule of such a policy. */
export type RuleWith<List extends readonly Part[]> = {
  [Key in keyof RuleOptions]: Allowed<List, Key, RuleOptions[Key]>;
};

/** The settings of a single request under such a policy; `retry: false` needs no part. */
export type OverrideWith<List extends readonly Part[]> =
  'overrides' extends NamesIn<List>
    ? {
        [Key in keyof OverrideOptions]: Key extends keyof SettingsOptions
          ? Allowed<List, Key, OverrideOptions[Key]>
          : OverrideOptions[Key];
      }
    : Needs<'overrides'>;

/** Whether the body of a request may be a function that makes it. */
export type MakingWith<List extends readonly Part[]> =
  'streams' extends NamesIn<List> ? true : Needs<'streams'>;
