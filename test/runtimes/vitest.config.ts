/** For `npm run test:everywhere`. By hand: `RUNTIME=bun PLACE=<where it is installed> npx vitest run --config …`. */

import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    include: ['test/runtimes/**/*.spec.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
});
