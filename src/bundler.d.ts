/** What a bundler may be told to leave out of a page, by its `define` (docs/runtimes.md). Elsewhere they do not exist. */

/** False: no vendor's hint set is there. */
declare const __UNDAUNTED_VENDORS__: boolean | undefined;

/** False: neither the gate nor the hold is there. */
declare const __UNDAUNTED_GATE_AND_HOLD__: boolean | undefined;

/** False: policies are not checked. `parsePolicy` checks them still. */
declare const __UNDAUNTED_CHECK__: boolean | undefined;

/** False: policies have no rules. */
declare const __UNDAUNTED_RULES__: boolean | undefined;
