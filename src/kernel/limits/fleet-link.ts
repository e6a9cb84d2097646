/** The link of a limit to the fleet. The limit joins when there is something to share, and not before. */

import type { FleetScope } from '../fleet.js';

export class FleetLink<Share> {
  private readonly join: (fleet: FleetScope) => Share | undefined;
  /** Undefined once the fleet has been asked for a share, and without a fleet. */
  private fleet: FleetScope | undefined;
  private joined: Share | undefined = undefined;

  constructor(fleet: FleetScope | undefined, join: (fleet: FleetScope) => Share | undefined) {
    this.fleet = fleet;
    this.join = join;
  }

  get share(): Share | undefined {
    if (this.fleet !== undefined) {
      this.joined = this.join(this.fleet);
      this.fleet = undefined;
    }
    return this.joined;
  }

  leave(): void {
    this.fleet = undefined;
    this.joined = undefined;
  }
}
