/**
 * What the first events of a stream mean: no content yet, content, or a failure. An error event is judged as an answer
 * would be that has its status and its data.
 */

import { Answer } from '../hints/answer.js';
import { contentOf, property, textAt } from '../hints/content.js';
import type { StreamEvent } from '../hints/event-stream.js';
import type { EventRows } from '../hints/hint-set.js';
import { isSaid } from '../hints/own.js';
import { isObject } from '../is-object.js';
import type { Settings } from '../policy/settings.js';
import type { HeadersLike, Hint } from '../types.js';
import { classOfResponse } from './classify.js';

type EventMeaning = 'pending' | 'content' | Hint;

type Judging = Pick<Settings, 'hints' | 'statuses'>;

/** A status and a head are needed only to read the error as an answer. */
export interface StreamHead {
  readonly headers: HeadersLike | undefined;
  readonly date: number;
}

/** What most servers do, whoever they are. */
const usual: EventRows = {
  // Anthropic, and the servers that take after it; others keep the connection alive with these.
  pending: ['ping', 'keepalive', 'keep-alive', 'heartbeat'],
  failed: ['error'],
  // The types and codes of OpenAI, which Azure OpenAI, Groq, Mistral, OpenRouter, LiteLLM and vLLM took over:
  // https://platform.openai.com/docs/guides/error-codes
  // https://console.groq.com/docs/errors
  // https://docs.mistral.ai/api/
  // https://openrouter.ai/docs/api-reference/errors
  // https://docs.litellm.ai/docs/exception_mapping
  // https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/serving_engine.py
  errors: {
    server_error: 500,
    internal_error: 500,
    internal_server_error: 500,
    InternalServerError: 500,
    service_unavailable: 503,
    overloaded: 503,
    capacity_exceeded: 503,
    rate_limit_error: 429,
    rate_limit_exceeded: 429,
    insufficient_quota: 429,
    requests: 429,
    tokens: 429,
    invalid_request_error: 400,
    invalid_prompt: 400,
    BadRequestError: 400,
    bad_request: 400,
    context_length_exceeded: 400,
    content_filter: 400,
    content_policy_violation: 400,
    tool_use_failed: 400,
    authentication_error: 401,
    invalid_api_key: 401,
    permission_error: 403,
    not_found_error: 404,
    NotFoundError: 404,
    model_not_found: 404,
  },
};

/** What an event means under these settings. */
export function meaningOf(event: StreamEvent, { hints, statuses }: Judging, head: StreamHead): EventMeaning {
  const { name, data } = event;
  // The end of a stream in OpenAI's form: what has not come by then never comes.
  if (data === '[DONE]') return 'pending';
  const rows = hints === undefined ? [usual] : [...((hints.events ?? []) as readonly EventRows[]), usual];
  const answer = new Answer(200, head.headers, data, head.date);
  const content = contentOf(answer);
  const said = verdictIn(rows, answer, name);
  if (said !== undefined) return said;
  const types = [name, textAt(content, 'type')].filter((type) => type !== '');
  if (
    rows.some(
      (row) => row.isPending?.(answer, name) || types.some((type) => row.pending?.includes(type) === true),
    )
  ) {
    return 'pending';
  }
  if (event.isFailure === true || isError(rows, types, content))
    return failureIn(rows, types, data, content, { hints, statuses }, head);
  return isBeginning(content) ? 'pending' : 'content';
}

/** What the event itself says. A veto comes before all. */
function verdictIn(rows: readonly EventRows[], answer: Answer, name: string): Hint | undefined {
  const said = rows.flatMap(({ read, readWait }) => {
    const hint = read?.(answer, name);
    return hint === undefined ? [] : [{ ...hint, ...(hint.retry === true && waitOf(readWait, answer)) }];
  });
  return said.find(({ retry }) => retry === false) ?? said[0];
}

function waitOf(readWait: EventRows['readWait'], answer: Answer): Pick<Hint, 'delayMs'> | undefined {
  const delayMs = readWait?.(answer)?.delayMs ?? null;
  return delayMs === null ? undefined : { delayMs };
}

// ---------------------------------------------------------------- errors

function isError(rows: readonly EventRows[], types: readonly string[], content: unknown): boolean {
  // An answer of a remote procedure: the caller asked for it, and it is complete.
  if (property(content, 'jsonrpc') !== undefined) return false;
  return (
    types.some((type) => rows.some(({ failed }) => failed?.includes(type) === true)) ||
    isSaid(property(content, 'error')) ||
    textAt(content, 'object') === 'error'
  );
}

function failureIn(
  rows: readonly EventRows[],
  types: readonly string[],
  data: string,
  content: unknown,
  { hints, statuses }: Judging,
  { headers, date }: StreamHead,
): Hint {
  const status = statusOf(rows, types, content);
  const hint = hints?.(status, headers, data, date);
  if (hint?.retry === false) return hint;
  const means = classOfResponse({ statuses, hints }, status, hint);
  return { delayMs: hint?.delayMs ?? null, means, reason: `stream-error-${status}` };
}

/** Where errors have their names, their codes and their statuses: the most specific one comes first. */
const places: readonly (readonly string[])[] = [
  ['error', 'code'],
  ['error', 'status'],
  ['error', 'status_code'],
  ['error', 'type'],
  ['response', 'error', 'code'],
  ['code'],
  ['status'],
  ['status_code'],
  ['error_type'],
  ['error'],
];

/** The status that the error stands for. One that says nothing comes from a server that had accepted the request: 500. */
function statusOf(rows: readonly EventRows[], types: readonly string[], content: unknown): number {
  const said = [...places.map((place) => property(content, ...place)), ...types];
  const known = said.flatMap((value) => rows.flatMap(({ errors }) => knownIn(errors, value)));
  const numbers = said.flatMap((value) => {
    const status = typeof value === 'number' || /^\d{3}$/.test(String(value)) ? Number(value) : 0;
    return status >= 400 && status < 600 ? [status] : [];
  });
  return known[0] ?? numbers[0] ?? 500;
}

function knownIn(errors: EventRows['errors'] = {}, value: unknown): readonly number[] {
  const status = typeof value === 'string' && Object.hasOwn(errors, value) ? errors[value] : undefined;
  return status === undefined ? [] : [status];
}

// ---------------------------------------------------------------- chunks without content

/**
 * Whether a chunk of a completion says no more than who speaks, or what was filtered in the prompt:
 * https://platform.openai.com/docs/api-reference/chat-streaming, and for Gemini
 * https://ai.google.dev/api/generate-content#generatecontentresponse
 */
function isBeginning(content: unknown): boolean {
  const choices = property(content, 'choices');
  if (Array.isArray(choices)) {
    // The last chunk of some streams has only the usage: nothing is missing then.
    return choices.length === 0 ? !isSaid(property(content, 'usage')) : choices.every(isEmptyChoice);
  }
  const candidates = property(content, 'candidates');
  const isRefused = property(content, 'promptFeedback') !== undefined;
  return Array.isArray(candidates) && !isRefused && candidates.every(isEmptyCandidate);
}

function isEmptyChoice(choice: unknown): boolean {
  if (!isRecord(choice)) return false;
  const { delta, ...others } = choice;
  return saysNothing(others) && saysNothing(delta);
}

function isEmptyCandidate(candidate: unknown): boolean {
  if (!isRecord(candidate)) return false;
  const { content = {}, ...others } = candidate;
  if (!isRecord(content)) return false;
  const { parts = [], ...inContent } = content;
  return saysNothing(others) && saysNothing(inContent) && Array.isArray(parts) && parts.every(saysNothing);
}

/** What comes along with content. Anything else that is said in a chunk may be content of a kind that is not known here. */
const beside: readonly string[] = [
  'index',
  'role',
  'logprobs',
  'content_filter_results',
  'content_filter_offsets',
  'safetyRatings',
];

function saysNothing(value: unknown): boolean {
  if (!isRecord(value)) return !isSaid(value);
  return Object.entries(value).every(([key, said]) => beside.includes(key) || !isSaid(said));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}
