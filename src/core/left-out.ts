/** The end of an error message about a part that the bundle was made without (docs/runtimes.md). */

/** The name of the flag is put together here, because some bundlers would replace it in a string, too. */
export function leftOut(what: string, flag: string): string {
  return `: this bundle was made without ${what} (__UNDAUNTED_${flag}__)`;
}
