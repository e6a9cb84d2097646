/** What a slider or choice stands for in a policy, and the policy after it has been moved. */

import type { PolicyOptions, Settings } from '../../../../index.js';

export interface ControlGroup {
  readonly title: string;
  /** Without it, the group is always on. */
  readonly switch?: Switch;
  readonly controls: readonly (Slider | Choice)[];
}

export interface Switch {
  isOn(settings: Settings): boolean;
  turn(policy: PolicyOptions, on: boolean): PolicyOptions;
}

export interface Slider {
  readonly kind: 'slider';
  readonly label: string;
  /** A policy may have values between them. */
  readonly stops: readonly number[];
  text(value: number): string;
  /** Undefined: this policy has no such value. */
  value(settings: Settings): number | undefined;
  move(policy: PolicyOptions, value: number): PolicyOptions;
}

export interface Choice {
  readonly kind: 'choice';
  readonly label: string;
  /** By JSON; a policy may have another one. */
  readonly offers: readonly (readonly [json: string, text: string])[];
  value(settings: Settings): string | undefined;
  choose(policy: PolicyOptions, json: string): PolicyOptions;
}
