/** Streams in events, however they are cut into chunks. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventReaderFor, type StreamEvent } from '../../../src/core/hints/event-stream.js';

function eventsIn(type: string, chunks: readonly Uint8Array[]): readonly StreamEvent[] {
  const reader = eventReaderFor(type);
  if (reader === undefined) throw new Error(`${type} has no events`);
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

function inText(text: string, type = 'text/event-stream'): readonly StreamEvent[] {
  return eventsIn(type, [new TextEncoder().encode(text)]);
}

const event = (data: string, name = ''): StreamEvent => ({ name, data });

describe('server-sent events', () => {
  test.each<[string, string, readonly StreamEvent[]]>([
    ['one', 'data: a\n\n', [event('a')]],
    ['without a space', 'data:a\n\n', [event('a')]],
    ['with two spaces', 'data:  a\n\n', [event(' a')]],
    ['with a name', 'event: ping\ndata: {}\n\n', [event('{}', 'ping')]],
    ['with a name behind the data', 'data: {}\nevent: ping\n\n', [event('{}', 'ping')]],
    ['in several lines', 'data: a\ndata: b\ndata:\ndata: c\n\n', [event('a\nb\n\nc')]],
    ['with a field that has no colon', 'data\ndata\n\n', [event('\n')]],
    ['several', 'data: a\n\ndata: b\n\n\n\ndata: c\n\n', [event('a'), event('b'), event('c')]],
    ['in lines that end with CR', 'event: x\rdata: a\r\rdata: b\r\r', [event('a', 'x'), event('b')]],
    [
      'in lines that end with CRLF',
      'event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n',
      [event('a', 'x'), event('b')],
    ],
    ['in lines that end with each', 'data: a\r\n\rdata: b\n\r\n', [event('a'), event('b')]],
    ['behind a BOM', '\uFEFFdata: a\n\n', [event('a')]],
    ['comments only', ': OPENROUTER PROCESSING\n\n:\n\n', []],
    ['fields that are no data', 'retry: 3000\nid: 7\n\n', []],
    ['a name without data', 'event: error\n\n', []],
    ['a name, that the next one does not have', 'event: error\n\ndata: a\n\n', [event('a')]],
    ['whose end is missing', 'data: a\n\ndata: b', [event('a'), event('b')]],
    ['none', '', []],
    [
      'JSON that no event was made of',
      '{\n  "error": {"code": 503}\n}\n',
      [event('{\n  "error": {"code": 503}\n}')],
    ],
    ['JSON behind an event', 'data: a\n\n[{"error":1}]', [event('a'), event('[{"error":1}]')]],
  ])('%s', (_what, text, events) => {
    expect(inText(text)).toEqual(events);
  });

  test('an event is there as soon as its blank line is', () => {
    const reader = eventReaderFor('text/event-stream; charset=utf-8');
    const push = (text: string) => reader?.push(new TextEncoder().encode(text));
    expect(push('data: a\r')).toEqual([]);
    expect(push('\n\r')).toEqual([event('a')]);
    expect(push('\ndata: b\n')).toEqual([]);
    expect(push('\n')).toEqual([event('b')]);
  });
});

describe('lines of JSON', () => {
  test.each<[string, string, readonly StreamEvent[]]>([
    ['each is an event', '{"a":1}\n{"b":2}\r\n', [event('{"a":1}'), event('{"b":2}')]],
    ['blank ones are none', '\n\n  \n{"a":1}\n', [event('{"a":1}')]],
    ['the last one needs no end', '{"a":1}', [event('{"a":1}')]],
    [
      'record separators do not belong to them',
      '\u001e{"a":1}\n\u001e{"b":2}\n',
      [event('{"a":1}'), event('{"b":2}')],
    ],
  ])('%s', (_what, text, events) => {
    for (const type of ['application/x-ndjson', 'application/jsonl', 'application/json-seq'])
      expect(inText(text, type)).toEqual(events);
  });
});

describe('messages of AWS', () => {
  const type = 'application/vnd.amazon.eventstream';

  test.each<[string, Uint8Array, readonly StreamEvent[]]>([
    [
      'an event',
      message({ ':message-type': 'event', ':event-type': 'messageStart' }, '{"role":"assistant"}'),
      [event('{"role":"assistant"}', 'messageStart')],
    ],
    [
      'an exception',
      message({ ':message-type': 'exception', ':exception-type': 'throttlingException' }, '{}'),
      [{ ...event('{}', 'throttlingException'), isFailure: true }],
    ],
    [
      'an error',
      message({ ':message-type': 'error', ':error-code': 'InternalError' }, ''),
      [{ ...event('', 'InternalError'), isFailure: true }],
    ],
    [
      'the packed event of a model',
      message({ ':event-type': 'chunk' }, `{"bytes":"${btoa('{"type":"message_start"}')}"}`),
      [event('{"type":"message_start"}')],
    ],
    [
      'a chunk of another kind',
      message({ ':event-type': 'chunk' }, '{"text":"a"}'),
      [event('{"text":"a"}', 'chunk')],
    ],
    ['something else', new TextEncoder().encode('{"message":"no stream"}'), [event('unreadable')]],
    ['the beginning of one', message({ ':event-type': 'x' }, '{}').subarray(0, 20), []],
  ])('%s', (_what, bytes, events) => {
    expect(eventsIn(type, [bytes])).toEqual(events);
    if (events[0]?.data === 'unreadable') return;
    expect(
      eventsIn(
        type,
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(events);
  });

  test('two in one chunk', () => {
    const one = message({ ':event-type': 'a' }, '{}');
    expect(eventsIn(type, [Uint8Array.from([...one, ...one])])).toEqual([event('{}', 'a'), event('{}', 'a')]);
  });
});

/** Checksums are not looked at. Beside its texts, it has a header with a number. */
function message(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const encode = (text: string): readonly number[] => [...new TextEncoder().encode(text)];
  const texts = Object.entries(headers).flatMap(([name, value]) => [
    ...[name.length, ...encode(name), 7],
    ...[value.length >> 8, value.length & 255, ...encode(value)],
  ]);
  const all = [...[1, ...encode('n'), 4, 0, 0, 0, 7], ...texts];
  const body = encode(payload);
  const uint32 = (value: number): readonly number[] => [24, 16, 8, 0].map((bits) => (value >> bits) & 255);
  const length = 12 + all.length + body.length + 4;
  return Uint8Array.from([...uint32(length), ...uint32(all.length), 0, 0, 0, 0, ...all, ...body, 0, 0, 0, 0]);
}

test.each([undefined, '', 'application/json', 'text/plain', 'text/html; x=text/event-stream'])(
  'a stream of %s has none',
  (type) => {
    expect(eventReaderFor(type)).toBeUndefined();
  },
);

test('it does not matter where the chunks begin', () => {
  const piece = fc.constantFrom(
    'data: ä€😀',
    'event: x',
    'data',
    ': c',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '{"a":1}',
    '\uFEFF',
  );
  const types = fc.constantFrom('text/event-stream', 'application/x-ndjson');
  fc.assert(
    fc.property(types, fc.array(piece, { maxLength: 20 }), fc.array(fc.nat(200)), (type, pieces, cuts) => {
      const bytes = new TextEncoder().encode(pieces.join(''));
      const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = at.slice(1).map((to, index) => bytes.subarray(at[index], to));
      expect(eventsIn(type, chunks)).toEqual(eventsIn(type, [bytes]));
      expect(
        eventsIn(
          type,
          [...bytes].map((byte) => Uint8Array.of(byte)),
        ),
      ).toEqual(eventsIn(type, [bytes]));
    }),
  );
});
