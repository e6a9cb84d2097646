/**
 * The only list of the limits, and the orders in which they are asked. A limit is what may keep an attempt from being
 * sent, or a retry from being made. What is written by hand for each of them is in a record by these names, so that a
 * forgotten limit does not compile.
 *
 * - Before an attempt: hold, concurrency, gate (`orderOfAdmission`).
 * - Before a retry: budget, gate, hold, concurrency (`ask.ts`).
 * - After an attempt: gate, hold, budget (`live-session.ts`). The gate comes first, because it alone gives something back
 *   whatever the outcome. The other two come before the decision, which reads what a failure has changed. What concurrency
 *   gives ends by itself: with the permit of the attempt (`admission.ts`).
 */

/** True: it is asked before each attempt. False: only whether there may be a retry. */
const asksFirst = { budget: false, gate: true, hold: true, concurrency: true } as const;

export type LimitName = keyof typeof asksFirst;

/** True: an attempt occupies it until the body of its answer is over. False: until its head. */
const lastsToBody: Readonly<Record<LimitName, boolean>> = {
  budget: false,
  gate: false,
  hold: false,
  concurrency: true,
};

/** Those that are asked before each attempt. */
export type AskedFirst = { [K in LimitName]: (typeof asksFirst)[K] extends true ? K : never }[LimitName];

export const limitNames: readonly LimitName[] = /* @__PURE__ */ Object.keys(asksFirst) as LimitName[];

/** A value for each of them. */
export function byLimit<T>(make: (name: LimitName) => T): Readonly<Record<LimitName, T>> {
  return Object.fromEntries(limitNames.map((name) => [name, make(name)])) as Record<LimitName, T>;
}

/**
 * Before an attempt is sent. The hold comes first, because an attempt may wait long for its place in the queue, and room
 * among the attempts in flight would stay empty meanwhile. The gate comes last, because what it gives, the turn to probe or
 * a place in the ramp, has to be used at once.
 */
export const orderOfAdmission: readonly AskedFirst[] = ['hold', 'concurrency', 'gate'];

/** What the limits say to an attempt that may be sent. */
export const go: { readonly kind: 'go' } = /* @__PURE__ */ Object.freeze({ kind: 'go' });

/**
 * Whether an attempt with these settings asks for admission, so that it may have to wait or be refused. It is a setting
 * of its own, `needsAdmission`, so that no request has to look through its limits.
 */
export function needsAdmission(settings: Readonly<Record<LimitName, unknown>>): boolean {
  return orderOfAdmission.some((name) => settings[name] !== false);
}

/** Whether a limit wants to know when the body of an answer is over. This is a setting of its own, too: `awaitsBody`. */
export function awaitsBody(settings: Readonly<Record<LimitName, unknown>>): boolean {
  return limitNames.some((name) => lastsToBody[name] && settings[name] !== false);
}
