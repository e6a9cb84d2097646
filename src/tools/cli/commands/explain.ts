/** Explains what a policy decides for one request, why, and what would turn the decision around. */

import type { Rule } from '../../../index.js';
import { explain as sentenceOf } from '../../../index.js';
import { summaryOf } from '../../../internal.js';
import { dataPolicyNames } from '../../sim/internal.js';
import type { Command, Given } from '../command.js';
import { defineCommand } from '../command.js';
import { flipsOf } from '../explain/flips.js';
import { passedOver } from '../explain/passed-over.js';
import type { Usual } from '../explain/print.js';
import { printDecision, printRule, printTailPlan, printUsual } from '../explain/print.js';
import type { LiveOutcome, Question } from '../explain/question.js';
import { answer, ruleFor } from '../explain/question.js';
import { tailPlanFor } from '../explain/tail.js';
import { attemptTimeout, readError, readRequest, readResponse, suspicionOf } from '../explain/written.js';
import { exitCodes, Failure } from '../failure.js';
import type { Io } from '../io.js';
import { readDefined, remarksOn, remarkText } from '../policy-file.js';

const options = {
  status: { kind: 'integer', summary: 'the attempt got this status', least: 100, most: 599 },
  header: { kind: 'list', value: 'line', summary: 'a header of that response, such as "retry-after: 3"' },
  body: {
    kind: 'text',
    value: 'text',
    summary: 'its body, where hints may be: \'{"error":{"code":"BUSY"}}\'',
  },
  error: {
    kind: 'text',
    value: 'code',
    summary: `or failed with this error: ECONNRESET, "connect ETIMEDOUT", ${attemptTimeout} for attemptTimeoutMs`,
  },
  attempt: { kind: 'integer', summary: 'the number of the attempt', default: 1, least: 1, most: 10_000 },
  elapsed: {
    kind: 'duration',
    summary: 'time since the request began (default: the waits so far)',
    least: 0,
  },
  keyed: { kind: 'flag', summary: 'the request has its own idempotency key' },
  'body-spent': { kind: 'flag', summary: 'the body was a stream and cannot be sent again' },
  json: { kind: 'flag', summary: 'print everything as JSON' },
} as const;

export const explain: Command = defineCommand({
  name: 'explain',
  summary: 'why a request is retried or not, and what would change that',
  operands: { usage: '<policy.json> <request>', least: 2, most: 3 },
  options,
  details: `
The policy is a file, "-" for stdin, or one of ${dataPolicyNames.join(', ')}.
The request is "POST https://api.example.com/payments/7", or "GET /users" where the host does not matter. Without
--status and --error, it lists what happens after the usual outcomes. Where the policy has a hedge or an adaptive
attempt timeout, it says whether they apply to the request, and if not, why.

The exit code is 0 whether the request is retried or not, and 2 if the policy is invalid.

  undaunted explain policy.json 'POST https://api.example.com/payments/7' --status 503
  undaunted explain policy.json 'GET https://api.example.com/' --status 429 --header 'retry-after: 90'
  undaunted explain service 'POST https://api.example.com/orders' --error ECONNRESET --attempt 2
`,
  async run({ options, operands: [name = '', ...request] }, io) {
    const outcome = readOutcome(options);
    const question: Omit<Question, 'outcome'> = {
      request: readRequest(request.join(' '), options.keyed),
      policy: await readDefined(name, io),
      attempt: options.attempt,
      elapsedMs: options.elapsed,
      replayable: !options['body-spent'],
      date: Date.now(),
    };
    if (outcome === undefined) explainUsual(question, io, options.json);
    else explainOne({ ...question, outcome }, io, options.json);
    for (const remark of remarksOn(question.policy)) io.stderr.text(remarkText(remark));
    const doubt = options.error === undefined ? undefined : suspicionOf(options.error);
    if (doubt !== undefined) io.stderr.text(doubt);
    return exitCodes.fine;
  },
});

type Options = Given<typeof options>['options'];

function readOutcome({ status, error, header, body }: Options): LiveOutcome | undefined {
  if (status !== undefined && error !== undefined)
    throw new Failure('use either --status or --error: an attempt ends in only one way.');
  if (status !== undefined) return readResponse(status, header, body);
  if (header.length > 0) throw new Failure('--header needs --status: a header belongs to a response.');
  if (body !== undefined) throw new Failure('--body needs --status: it is the body of a response.');
  return error === undefined ? undefined : readError(error);
}

function explainOne(question: Question, io: Io, asJson: boolean): void {
  const given = answer(question);
  const explained = {
    given,
    shortest: answer(question, 0).decision,
    // The greatest possible draw.
    longest: answer(question, 1 - Number.EPSILON / 2).decision,
    flips: flipsOf(question, given),
  };
  if (!asJson) {
    printRule(io.stdout, question, given.rule);
    printTailPlan(io.stdout, tailPlanFor(question, given.rule));
    printDecision(io.stdout, question, explained);
    return;
  }
  const { decision, keyed, elapsedMs } = given;
  const { shortest, longest, flips } = explained;
  printJson(io, {
    ...about(question, given.rule),
    keyed,
    elapsedMs,
    decision,
    sentence: sentenceOf(decision),
    luck: { shortest, longest },
    flips,
  });
}

/** The outcomes that every client meets sooner or later. */
const usualOutcomes: readonly (readonly [name: string, outcome: LiveOutcome])[] = [
  ...[200, 404, 429, 503].map((status) => [String(status), readResponse(status, [])] as const),
  ...['ECONNREFUSED', 'ECONNRESET', attemptTimeout].map((code) => [code, readError(code)] as const),
];

function explainUsual(asked: Omit<Question, 'outcome'>, io: Io, asJson: boolean): void {
  const rule = ruleFor(asked);
  const hasTimeout = rule.settings.attemptTimeoutMs !== undefined;
  const rows: Usual[] = usualOutcomes
    .filter(([name]) => hasTimeout || name !== attemptTimeout)
    .map(([name, outcome]) => ({ name, decision: answer({ ...asked, outcome }).decision }));
  if (asJson) {
    const outcomes = rows.map((row) => ({ ...row, sentence: sentenceOf(row.decision) }));
    printJson(io, { ...about(asked, rule), outcomes });
    return;
  }
  printRule(io.stdout, asked, rule);
  printTailPlan(io.stdout, tailPlanFor(asked, rule));
  printUsual(io.stdout, rows);
}

function about(question: Omit<Question, 'outcome'>, rule: Rule): object {
  const { request, attempt } = question;
  const { index, name } = rule;
  return {
    request: summaryOf(request),
    rule: { index, name },
    passedOver: passedOver(question, rule),
    attempt,
    ...tailPlanFor(question, rule),
  };
}

function printJson(io: Io, value: unknown): void {
  io.stdout.line(JSON.stringify(value, null, 2));
}
