/**
 * Prints at the end how many tests passed and failed, on a line that another program can find. COUNT_AS is the name of
 * the suite.
 */

import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

// biome-ignore lint/style/noDefaultExport: Vitest takes a reporter from a default export.
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _errors: readonly unknown[], reason: TestRunEndReason): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const failed = tests.filter((test) => test.result().state === 'failed').length;
    // A run may also fail for reasons outside of tests.
    const least = reason === 'passed' ? 0 : 1;
    console.log(`${process.env['COUNT_AS']}: ${passed} passed, ${Math.max(failed, least)} failed`);
  }
}
