/** What is told of a part that the bundle was made without (docs/runtimes.md). */

/** The flag is put together here: some bundlers replace its name in strings, too. */
export function leftOut(what: string, flag: string): string {
  return `: this bundle was made without ${what} (__UNDAUNTED_${flag}__)`;
}
