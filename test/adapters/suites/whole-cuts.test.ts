/** Every second answer is cut at a random byte of its body: none of these cuts reaches the caller. */

import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../../src/index.js';
import { cutsOf, framings, startCutting, streamed, wholeTexts } from '../../faults/cutting.js';
import type { Answer } from '../../faults/lab.js';
import { soon } from '../kit.js';
import { theSubject, type Way } from './subject.js';

const subject = await theSubject();

const policy: PolicyOptions = { ...soon, wholeBodyBytes: 65_536, budget: false };

/** The plain way is asked a thousand times, so that a cut falls on every part of the framing. */
const requestsOver = ({ name }: Way): number =>
  name === subject.ways[0].name ? 1_000 / framings.length : 60;

describe.each(subject.ways)('over $name', (way) => {
  const some = framings.filter(({ name }) => way.packedBodies !== 'broken' || !name.startsWith('packed'));
  test.each(some.map((framed) => [framed.name, framed] as const))(
    '%s: nothing is lost, and every byte is there',
    async (_name, framed) => {
      await using server = await startCutting(framed);
      const send = way.client(policy);
      const texts: string[] = [];
      for (let request = 0; request < requestsOver(way); request += 1)
        texts.push((await send(server.url)).text);
      expect(texts.filter((one) => !wholeTexts.includes(one))).toEqual([]);
      expect(server.answers).toBe(2 * requestsOver(way));
    },
  );
});

describe.each(subject.overH2)('over $name', (way) => {
  test.each(streamed.map((stream) => [stream.name, stream] as const))(
    'a stream that is reset: %s',
    async (_name, { headers, body }) => {
      const takeCut = cutsOf(body, 7);
      let answers = 0;
      const lab = await way.open(() => {
        answers += 1;
        const head = { do: 'head', status: 200, headers: { 'content-type': 'application/json', ...headers } };
        const isWhole = answers % 2 === 0;
        const sent = isWhole ? body : takeCut();
        const end = isWhole ? { do: 'end' } : { do: 'rst-stream', code: 2 };
        return { steps: [head, { do: 'body', text: sent.toString('latin1') }, end] } as unknown as Answer;
      });
      const send = way.client(policy);
      const texts: string[] = [];
      for (let request = 0; request < 100; request += 1) texts.push((await send(lab.origin)).text);
      expect(texts.filter((one) => !wholeTexts.includes(one))).toEqual([]);
      expect(answers).toBe(200);
    },
  );
});
