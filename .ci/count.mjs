// Adds up what the suites wrote into `reports`: first what failed and where, in the last line the sum.

import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const suites = [
  'tests',
  'package',
  'browser',
  'everywhere',
  'chaos',
  'differential',
  'models',
  'processes',
  'tables',
  'bench',
  'redis',
  'matrix',
  'fuzz',
];
/** A failing script of the fuzz names its calls, and the command that plays it again. */
const tellsOfFailure = /FAIL|×|Error: |\bscript \d+:|\bcall \d+:|FUZZ_SEED=/;
let passed = 0;
let failed = 0;
for (const suite of suites) {
  const counted = count(suite);
  passed += counted.passed;
  failed += counted.failed;
  if (counted.failed > 0) {
    console.log(`${suite}: ${counted.failed} failed`);
    for (const line of counted.about.slice(0, 60)) console.log(`  ${line.slice(0, 400)}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);

function count(suite) {
  const file = `reports/${suite}.${suite === 'tests' ? 'json' : 'txt'}`;
  if (!existsSync(file)) {
    return { passed: 0, failed: 1, about: [`There is no ${file}: the suite did not run to its end.`] };
  }
  try {
    const text = readFileSync(file, 'utf8');
    return suite === 'tests' ? fromVitest(text) : fromScript(suite, text);
  } catch (error) {
    return { passed: 0, failed: 1, about: [`${file} cannot be read: ${error.message}`] };
  }
}

function fromVitest(text) {
  const report = JSON.parse(text);
  const about = report.testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message ? [`${name}: ${message}`] : []),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .flatMap((test) => [
        `${name}: ${test.fullName}`,
        ...test.failureMessages.join('\n').split('\n').slice(0, 12),
      ]),
  ]);
  // Vitest also fails for an error outside of every test.
  const least = report.success ? 0 : 1;
  return { passed: report.numPassedTests, failed: Math.max(report.numFailedTests, least), about };
}

function fromScript(suite, written) {
  const text = stripVTControlCharacters(written);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  // A line of the matrix names the client and the Node of a test that failed; there are more lines than are printed.
  const placed = lines.filter((line) => line.startsWith('FAIL '));
  const about = [...placed, ...lines.filter((line) => tellsOfFailure.test(line) && !placed.includes(line))];
  const sum = new RegExp(`^${suite}: (\\d+) passed, (\\d+) failed$`, 'm').exec(text);
  if (sum !== null) return { passed: Number(sum[1]), failed: Number(sum[2]), about };
  const ended = `It ended without its line "${suite}: … passed, … failed".`;
  if (about.length > 0) return { passed: 0, failed: 1, about: [ended, ...about] };
  return { passed: 0, failed: 1, about: [`${ended} Its last lines:`, ...lines.slice(-20)] };
}
