/**
 * Parts that a bundler can leave out of a page, by its `define` option (docs/runtimes.md). In every other build these
 * names do not exist.
 */

/** False: the hint sets of vendors are left out. */
declare const __UNDAUNTED_VENDORS__: boolean | undefined;

/** False: the gate and the hold are left out. */
declare const __UNDAUNTED_GATE_AND_HOLD__: boolean | undefined;

/** False: definePolicy() does not check policies. `parsePolicy` still does. */
declare const __UNDAUNTED_CHECK__: boolean | undefined;

/** False: rules are left out; a policy is one set of settings. */
declare const __UNDAUNTED_RULES__: boolean | undefined;

/** False: streams are not buffered, so they are sent only once. */
declare const __UNDAUNTED_STREAMS__: boolean | undefined;

/** False: hedges and adaptive attempt timeouts are left out. */
declare const __UNDAUNTED_TAIL__: boolean | undefined;
