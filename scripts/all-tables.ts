/** What `npm run sim:table` prints, and the README shows. */

import { ordinaryTables } from './ordinary-tables.js';
import { outageTables } from './outage-tables.js';
import type { Table } from './sim-tables.js';

export const tables: readonly Table[] = [...outageTables, ...ordinaryTables];
