// Adds up what the suites wrote into `reports`: first what failed and where, in the last line the sum.

import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const suites = ['tests', 'package', 'browser', 'everywhere', 'chaos', 'redis', 'matrix', 'fuzz'];
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
  try {
    return suite === 'tests' ? fromVitest() : fromScript(suite);
  } catch (error) {
    return { passed: 0, failed: 1, about: [`It did not get as far as to count: ${error.message}`] };
  }
}

function fromVitest() {
  const report = JSON.parse(readFileSync('reports/tests.json', 'utf8'));
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

function fromScript(suite) {
  const text = stripVTControlCharacters(readFileSync(`reports/${suite}.txt`, 'utf8'));
  const [, done, missed] = new RegExp(`^${suite}: (\\d+) passed, (\\d+) failed$`, 'm').exec(text);
  const lines = text.split('\n');
  const about = lines.filter((line) => /FAIL|×|Error: /.test(line));
  return { passed: Number(done), failed: Number(missed), about };
}
