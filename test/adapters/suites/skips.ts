/** Cases of the suites that deliberately do not apply to an adapter. */

import { basename } from 'node:path';
import type { RunnerTask, RunnerTestFile } from 'vitest';

/**
 * Reasons by the titles of cases, as `theme > describe > test`. A skipped case still runs, and has to fail. A blank
 * reason is an error, and so is a title that no case has.
 */
export type Skips = Readonly<Record<string, string>>;

export function themeOf({ name }: Pick<RunnerTestFile, 'name'>): string {
  return basename(name, '.test.ts');
}

export function titleOf({ name, suite, file }: RunnerTask): string {
  return `${suite === undefined ? themeOf(file) : titleOf(suite)} > ${name}`;
}

export function titlesOf(tasks: readonly RunnerTask[]): string[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? titlesOf(task.tasks) : [titleOf(task)]));
}

/** What is wrong with the skips of this theme. */
export function complaintsOf(theme: string, titles: readonly string[], skips: Skips): string[] {
  return Object.entries(skips)
    .filter(([title]) => title.startsWith(`${theme} > `))
    .flatMap(([title, reason]) => [
      ...(titles.includes(title) ? [] : [`'${title}' is skipped, but there is no such case.`]),
      ...(reason.trim() === '' ? [`'${title}' is skipped without a reason.`] : []),
    ]);
}
