/** The tables that `npm run sim:table` prints and docs/outages.md shows. */

import { deathTable } from './death-table.js';
import { ordinaryTables } from './ordinary-tables.js';
import { failureTable, limitTable, outageTable } from './outage-tables.js';
import type { Table } from './sim-tables.js';

export const tables: readonly Table[] = [
  outageTable,
  deathTable,
  failureTable,
  limitTable,
  ...ordinaryTables,
];
