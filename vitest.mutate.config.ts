/** For mutation tests: only the tests that `scripts/mutate.ts` names for what it mutates. */

import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const testTimeout = Number(process.env['MUTATION_TEST_MS'] ?? 60_000);

/** What killed the mutant before comes first, and then what is quick. Vitest has the slow files first. */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const costOf = ({ moduleId, project }: TestSpecification): number => {
      const path = relative(this.ctx.config.root, moduleId);
      const { failed, duration } = this.ctx.cache.getFileTestResults(`${project.name}:${path}`) ?? {};
      return failed === true ? 0 : (duration ?? 0);
    };
    return files.sort((one, other) => costOf(one) - costOf(other));
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? 'test/core/**/*.test.ts').split(' '),
    testTimeout,
    hookTimeout: testTimeout,
    // As in vitest.config.ts. Loading everything anew for each file would take longer than the tests.
    isolate: false,
    sequence: { sequencer: QuickestFirst },
    // The adapter that runs the suites among them.
    provide: { subject: process.env['SUBJECT'] ?? '' },
  },
});
