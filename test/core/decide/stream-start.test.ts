/** How streams begin: which events are no content yet, and which are failures. */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Beginning, msToBegin, streamStartOf } from '../../../src/core/decide/stream-start.js';
import type { PolicyOptions } from '../../../src/core/policy/options.js';
import type { Settings } from '../../../src/core/policy/settings.js';
import { defaultSettings, fillIn } from '../../../src/parts/all.js';

const type = { 'content-type': 'text/event-stream' };

function settingsOf(options: PolicyOptions = {}): Settings {
  return fillIn({ streamStart: {}, ...options }, defaultSettings());
}

function begun(options: PolicyOptions, ...chunks: readonly string[]): Beginning {
  const start = streamStartOf(settingsOf(options), 'POST', 200, type, 0);
  if (start === undefined) throw new Error('It is handed over at once');
  for (const chunk of chunks) {
    const said = start.push(new TextEncoder().encode(chunk));
    if (said !== 'pending') return said;
  }
  return 'pending';
}

function ended(options: PolicyOptions, text: string): Beginning | undefined {
  const start = streamStartOf(settingsOf(options), 'GET', 200, type, 0);
  expect(start?.push(new TextEncoder().encode(text))).toBe('pending');
  return start?.end();
}

function sse(...events: readonly unknown[]): string {
  return events.map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`).join('');
}

/** As Anthropic and the Responses API write them: with their type as the name. */
function named(...events: readonly { readonly type: string }[]): string {
  return events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join('');
}

const chunk = (delta: object, more: object = {}) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});

const hints = 'anthropic';
const openai = 'openai';

describe('no content yet', () => {
  test.each<[string, PolicyOptions, string]>([
    ['comments', {}, ': OPENROUTER PROCESSING\n\n'],
    ['a ping', {}, named({ type: 'ping' })],
    ['a ping without a name', {}, sse({ type: 'ping' })],
    ['a name without data', {}, 'event: ping\n\n'],
    ['a retry time', {}, 'retry: 1000\n\n'],
    ['the role', {}, sse(chunk({ role: 'assistant', content: '', refusal: null }))],
    ['an empty delta', {}, sse(chunk({}))],
    [
      'what was filtered in the prompt',
      {},
      sse({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] }),
    ],
    ['an empty text', {}, sse({ object: 'text_completion', choices: [{ text: '', finish_reason: null }] })],
    ['an empty candidate', {}, sse({ candidates: [{ content: { parts: [{ text: '' }], role: 'model' } }] })],
    ['message_start', { hints }, named({ type: 'message_start' }, { type: 'ping' })],
    ['content_block_start', { hints }, named({ type: 'content_block_start' })],
    [
      'response.created',
      { hints: openai },
      named({ type: 'response.created' }, { type: 'response.in_progress' }),
    ],
    ['the same in Azure', { hints: 'azure-openai' }, named({ type: 'response.created' })],
    [
      'response.created with an error that is null',
      { hints: openai },
      named({ type: 'response.created', response: { error: null } } as never),
    ],
    [
      'what comes along with content, without any',
      {},
      sse({
        choices: [
          {
            index: 1,
            delta: { role: 'assistant', content: '', refusal: null, reasoning_details: [] },
            logprobs: { content: [] },
            finish_reason: null,
            native_finish_reason: null,
            content_filter_results: { hate: { filtered: false } },
          },
        ],
      }),
    ],
    [
      'a candidate with ratings',
      {},
      sse({ candidates: [{ index: 1, content: { role: 'model' }, safetyRatings: [{ blocked: false }] }] }),
    ],
    ['half an event', {}, 'data: {"choices":[{"delta":{"content":"a"}}]}\n'],
  ])('%s', (_what, options, text) => {
    expect(begun(options, text)).toBe('pending');
  });
});

describe('content', () => {
  test.each<[string, PolicyOptions, string]>([
    ['text', {}, sse('hello')],
    ['JSON of any kind', {}, sse({ a: 1 })],
    ['a list', {}, sse([1])],
    ['an event of another name', {}, named({ type: 'message_start' })],
    ['an error that is null', {}, sse({ error: null, text: 'a' })],
    ['an error that is empty', {}, sse({ error: '', text: 'a' })],
    ['an answer of a remote procedure', {}, sse({ jsonrpc: '2.0', id: 1, error: { code: -32603 } })],
    ['a delta', {}, sse(chunk({ content: 'a' }))],
    ['a delta behind the role', {}, sse(chunk({ role: 'assistant' }), chunk({ content: 'a' }))],
    ['a thought', {}, sse(chunk({ content: null, reasoning_content: 'a' }))],
    ['a call of a tool', {}, sse(chunk({ role: 'assistant', tool_calls: [{ index: 0 }] }))],
    ['an end without text', {}, sse(chunk({}, { finish_reason: 'stop' }))],
    [
      'messages about data of your own, in Azure',
      {},
      sse({ choices: [{ index: 0, messages: [{ index: 0, delta: { role: 'tool', content: 'a' } }] }] }),
    ],
    ['a whole message', {}, sse({ choices: [{ index: 0, message: { role: 'assistant', content: 'a' } }] })],
    ['choices of another kind', {}, sse({ question: '?', choices: ['yes', 'no'] })],
    ['choices that are no list', {}, sse({ choices: { a: 1 } }, { choices: null, a: 1 })],
    ['candidates of another kind', {}, sse({ candidates: [{ name: 'a' }] })],
    ['a candidate whose content is a text', {}, sse({ candidates: [{ content: 'a' }] })],
    ['the usage', {}, sse({ choices: [], usage: { total_tokens: 3 } })],
    ['a prompt that was refused', {}, sse({ candidates: [], promptFeedback: { blockReason: 'SAFETY' } })],
    ['a candidate', {}, sse({ candidates: [{ content: { parts: [{ text: 'a' }] } }] })],
    ['a candidate that has ended', {}, sse({ candidates: [{ content: {}, finishReason: 'STOP' }] })],
    ['a delta of Anthropic', { hints }, named({ type: 'content_block_delta' })],
    ['the end of a message without text', { hints }, named({ type: 'message_delta' })],
    ['a delta of the Responses API', { hints: openai }, named({ type: 'response.output_text.delta' })],
    ['a response that is incomplete', { hints: openai }, named({ type: 'response.incomplete' })],
  ])('%s', (_what, options, text) => {
    expect(begun(options, text)).toBe('content');
  });

  test('an error behind it says nothing', () => {
    expect(begun({}, sse('hello', { error: { code: 503 } }))).toBe('content');
  });
});

describe('a failure', () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

  test.each<[string, PolicyOptions, string, object]>([
    [
      'Anthropic is overloaded',
      { hints },
      named(overloaded),
      { means: 'throttled', reason: 'stream-error-529' },
    ],
    [
      'behind a ping',
      { hints },
      named({ type: 'ping' }, { type: 'message_start' }, overloaded),
      { means: 'throttled' },
    ],
    ['Anthropic, unnamed', {}, named(overloaded), { means: 'transient', reason: 'stream-error-500' }],
    [
      'Anthropic, faulty',
      { hints },
      named({ type: 'error', error: { type: 'api_error' } } as never),
      { means: 'transient' },
    ],
    [
      'Anthropic, a fault of ours',
      { hints },
      named({ type: 'error', error: { type: 'invalid_request_error' } } as never),
      { means: 'final', reason: 'stream-error-400' },
    ],
    [
      'a gateway',
      {},
      sse({ error: { message: 'x', code: 502 } }),
      { means: 'transient', reason: 'stream-error-502' },
    ],
    ['a gateway that was refused', {}, sse({ error: { message: 'x', code: 429 } }), { means: 'throttled' }],
    [
      'LiteLLM',
      {},
      sse({ error: { message: 'x', type: 'None', param: 'None', code: '429' } }),
      { means: 'throttled' },
    ],
    [
      'vLLM',
      {},
      sse({ error: { message: 'x', type: 'BadRequestError', param: null, code: 400 } }),
      { means: 'final' },
    ],
    [
      'Groq',
      {},
      `event: error\n${sse({ error: { message: 'x', type: 'invalid_request_error', code: 'tool_use_failed', status_code: 400 } })}`,
      { means: 'final' },
    ],
    [
      'OpenRouter, in the middle of a chunk',
      {},
      sse({
        object: 'chat.completion.chunk',
        error: { code: 'server_error' },
        choices: [{ delta: { content: '' }, finish_reason: 'error' }],
      }),
      { means: 'transient' },
    ],
    [
      'Mistral',
      {},
      sse({ object: 'error', message: 'x', type: 'service_unavailable', code: '3505' }),
      { means: 'transient', reason: 'stream-error-503' },
    ],
    [
      'OpenAI',
      { hints: openai },
      sse({ error: { message: 'x', type: 'server_error', code: null } }),
      { means: 'transient' },
    ],
    [
      'OpenAI, a limit',
      { hints: openai },
      named({ type: 'error', code: 'rate_limit_exceeded' } as never),
      { means: 'throttled' },
    ],
    [
      'OpenAI, a response',
      { hints: openai },
      named({ type: 'response.created' }, {
        type: 'response.failed',
        response: { error: { code: 'server_error' } },
      } as never),
      { means: 'transient' },
    ],
    [
      'OpenAI, a bad image',
      { hints: openai },
      named({ type: 'response.failed', response: { error: { code: 'invalid_image' } } } as never),
      { means: 'final' },
    ],
    [
      'OpenAI, no quota',
      { hints: openai },
      sse({ error: { code: 'insufficient_quota', type: 'insufficient_quota' } }),
      { retry: false, reason: 'quota-exhausted-long' },
    ],
    [
      'Gemini',
      {},
      sse({ error: { code: 503, message: 'x', status: 'UNAVAILABLE' } }),
      { means: 'transient', reason: 'stream-error-503' },
    ],
    ['Gemini, without an event', {}, '{\n "error": {\n  "code": 503\n }\n}\n\n', { means: 'transient' }],
    [
      'Gemini, a limit',
      { hints: 'google' },
      sse({
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }],
        },
      }),
      { means: 'throttled', delayMs: 34_000 },
    ],
    [
      'Bedrock',
      { hints: 'aws' },
      `event: throttlingException\n${sse({ message: 'Too many requests' })}`,
      { means: 'throttled' },
    ],
    [
      'a text',
      {},
      `event: error\n${sse('Internal Server Error')}`,
      { means: 'transient', reason: 'stream-error-500' },
    ],
    ['an error that is a text', {}, sse({ error: 'CUDA out of memory' }), { means: 'transient' }],
    ['a status that is not retried', { statuses: [429] }, sse({ error: { code: 502 } }), { means: 'final' }],
  ])('%s', (_what, options, text, failed) => {
    expect(begun(options, text)).toMatchObject({ failed });
  });

  test('an end without content', () => {
    const failed = { means: 'transient', reason: 'stream-empty' };
    for (const text of ['', ': ping\n\n', sse('[DONE]'), sse(chunk({ role: 'assistant' }), '[DONE]')])
      expect(ended({}, text)).toMatchObject({ failed });
  });

  test('an end whose last event lacks its blank line', () => {
    expect(ended({}, 'data: {"error":{"code":503}}')).toMatchObject({ failed: { means: 'transient' } });
    expect(ended({}, 'data: hello')).toBe('content');
    expect(ended({}, 'data: {"choices":[{"del')).toMatchObject({ failed: { reason: 'stream-empty' } });
  });
});

test("what is no text, as a body that is still packed, is the caller's", () => {
  for (const bytes of [gzipSync(sse('a')), brotliCompressSync(sse('a'))]) {
    const start = streamStartOf(settingsOf(), 'GET', 200, type, 0);
    expect(start?.push(bytes)).toBe('pending');
    expect(start?.end()).toBe('content');
  }
});

test('whatever comes in whatever pieces, the first event that is not pending counts', () => {
  const pending = [
    ': hi\n\n',
    named({ type: 'ping' }),
    named({ type: 'message_start' }),
    'retry: 3\n\n',
    '\n',
  ];
  const content = [sse('hello'), named({ type: 'content_block_delta' }), sse(chunk({ content: 'ä' }))];
  const failing = [
    named({ type: 'error', error: { type: 'overloaded_error' } } as never),
    sse({ error: { code: 502 } }),
  ];
  const events = fc.tuple(
    fc.array(fc.constantFrom(...pending), { maxLength: 5 }),
    fc.option(fc.constantFrom(...content, ...failing), { nil: undefined }),
    fc.constantFrom('', ...content, ...failing),
  );
  fc.assert(
    fc.property(
      events,
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
      ([before, first, after], sizes) => {
        const bytes = new TextEncoder().encode(
          before.join('') + (first ?? '') + (first === undefined ? '' : after),
        );
        const start = streamStartOf(settingsOf({ hints }), 'GET', 200, type, 0);
        let said: Beginning = 'pending';
        for (let [at, n] = [0, 0]; at < bytes.length && said === 'pending'; n += 1) {
          const size = sizes[n % sizes.length] ?? 1;
          said = start?.push(bytes.subarray(at, at + size)) ?? 'undecided';
          at += size;
        }
        if (said === 'pending') said = start?.end() ?? 'undecided';
        if (first === undefined) expect(said).toMatchObject({ failed: { reason: 'stream-empty' } });
        else if (content.includes(first)) expect(said).toBe('content');
        else expect(said).toMatchObject({ failed: { reason: expect.stringMatching(/^stream-error-5/) } });
      },
    ),
  );
});

describe('rows of your own', () => {
  const own: PolicyOptions = {
    hints: [
      {
        name: 'acme',
        events: [
          { event: 'queued', means: 'pending' },
          { at: '/phase', is: ['warming'], means: 'pending' },
          { event: 'problem', at: '/code', is: ['BUSY'], means: 'throttled', evidence: 'refused' },
          { at: '/code', is: ['GONE'], means: 'never' },
          { event: 'sorry', means: 'transient' },
          { at: '/wait_ms', unit: 'ms' },
        ],
      },
    ],
  };

  test.each<[string, string, object | string]>([
    ['a name', 'event: queued\ndata: 3rd in line\n\n', 'pending'],
    ['a value', sse({ phase: 'warming' }), 'pending'],
    ['another value', sse({ phase: 'running' }), 'content'],
    [
      'a name and a value',
      'event: problem\ndata: {"code":"BUSY"}\n\n',
      { failed: { means: 'throttled', retry: true, evidence: 'refused', reason: 'acme:/code' } },
    ],
    ['the value under another name', 'event: x\ndata: {"code":"BUSY"}\n\n', 'content'],
    ['a veto', 'event: sorry\ndata: {"code":"GONE"}\n\n', { failed: { retry: false } }],
    [
      'a name alone, with text',
      'event: sorry\ndata: later\n\n',
      { failed: { means: 'transient', reason: 'acme:sorry' } },
    ],
    [
      'a wait beside it',
      'event: sorry\ndata: {"wait_ms":700}\n\n',
      { failed: { means: 'transient', delayMs: 700 } },
    ],
    ['a wait alone', sse({ wait_ms: 700 }), 'content'],
  ])('%s', (_what, text, said) => {
    if (typeof said === 'string') expect(begun(own, text)).toBe(said);
    else expect(begun(own, text)).toMatchObject(said);
  });
});

describe('limits', () => {
  test('so many bytes without content', () => {
    const streamStart = { maxBytes: 20 };
    expect(begun({ streamStart }, ': 345678\n\n', ': 345678\n')).toBe('pending');
    expect(begun({ streamStart }, ': 345678\n\n', ': 345678\n\n')).toBe('undecided');
    // What comes behind the limit is not looked at, wherever the chunks begin.
    expect(begun({ streamStart }, `: 345678\n\n: 345678\n\n${sse({ error: { code: 503 } })}`)).toBe(
      'undecided',
    );
    expect(begun({ streamStart }, `data: a\n\n${'x'.repeat(100)}`)).toBe('content');
  });

  test('how long it is waited for', () => {
    expect(msToBegin(settingsOf())).toBe(5_000);
    expect(msToBegin(settingsOf({ streamStart: { maxMs: 100 } }))).toBe(100);
    expect(msToBegin(settingsOf({ attemptTimeoutMs: 300 }))).toBe(300);
    expect(msToBegin(settingsOf({ streamStart: { maxMs: 100 }, attemptTimeoutMs: 300 }))).toBe(100);
  });
});

describe('is handed over at once', () => {
  const at = (status = 200, method = 'GET', headers: object = type, options: PolicyOptions = {}) =>
    streamStartOf(settingsOf(options), method, status, headers as Record<string, string>, 0) === undefined;

  test('unless it is a stream of events or lines', () => {
    expect(at()).toBe(false);
    expect(at(201, 'POST', new Headers({ 'content-type': 'application/x-ndjson; charset=utf-8' }))).toBe(
      false,
    );
    for (const contentType of ['application/json', 'text/plain', 'multipart/x-mixed-replace; boundary=x'])
      expect(at(200, 'GET', { 'content-type': contentType })).toBe(true);
    expect(at(200, 'GET', {})).toBe(true);
  });

  test('what has no content, is judged by its head, or cannot be sent again', () => {
    expect(at(200, 'HEAD')).toBe(true);
    for (const status of [204, 205, 304, 302, 404, 503]) expect(at(status)).toBe(true);
    expect(at(200, 'GET', type, { statuses: [200] })).toBe(true);
    expect(at(200, 'GET', type, { maxRetries: 0 })).toBe(true);
    expect(at(200, 'GET', type, { maxRetries: 0, hedge: true })).toBe(false);
    expect(at(200, 'GET', type, { streamStart: false })).toBe(true);
  });
});
