/** The tables that `npm run sim:table` prints and docs/outages.md shows. */

import { dayTable } from './day-tables.js';
import { deathTable } from './death-table.js';
import { knownTable } from './known-tables.js';
import { ordinaryTables } from './ordinary-tables.js';
import { failureTable, limitTable, outageTable } from './outage-tables.js';
import type { Table } from './sim-tables.js';

export const tables: readonly Table[] = [
  knownTable,
  outageTable,
  deathTable,
  failureTable,
  limitTable,
  ...ordinaryTables,
  dayTable,
];
