/** Placeholder until the profiles are written as data. */
export type HintSetName = 'standard' | 'common' | 'heuristic' | 'github';
