/** What a client of a runtime sends again is what it has sent, and whole: compared at the server. */

import { describe, expect, test } from 'vitest';
import { allowing, readable, sentBy } from '../browser/answers.js';
import { type Received, startLab } from '../faults/lab.js';
import { type BodyName, bodiesOf } from './bodies.js';
import { type RuntimeName, whyNotSent } from './exceptions.js';
import type { ClientName, UploadReport } from './order.js';
import type { Runtime } from './runtime.js';

const policy = {
  maxRetries: 1,
  idempotent: true,
  schedule: { kind: 'fixed', waitMs: 1, jitter: 'none' },
} as const;

export function uploadsThere(runtime: Omit<Runtime, 'server'>): void {
  describe.each(runtime.clients)('%s', (client) => {
    const names = bodiesOf(client);
    test.each(names.map((name) => [titleOf(runtime.name, name), name] as const))(
      '%s',
      async (_title, body) => {
        const { requests, got } = await uploaded(runtime, client, body);
        const sent = requests.map(contentOf);
        const isWhole =
          sent.length === 2 && sent.every((one) => one === sent[0]) && hasAll(body, sent[0] ?? '');
        if (whyNotSent(runtime.name, body) !== undefined) expect(isWhole, 'it can be sent there').toBe(false);
        else expect({ sent, got }).toEqual({ sent: [expect.stringContaining('pay'), sent[0]], got: 200 });
      },
    );
  });

  // Where fetch itself says how long the text of a Request is, and many servers refuse one without a length.
  test.runIf(['Node', 'Deno', 'happy-dom'].includes(runtime.name))(
    "a Request's text is sent with its length, the first time, too",
    async () => {
      const { requests } = await uploaded(runtime, 'fetch', 'a Request with text');
      expect(requests.map(({ headers }) => headers['content-length'])).toEqual(['3', '3']);
    },
  );
}

function titleOf(runtime: RuntimeName, body: BodyName): string {
  const reason = whyNotSent(runtime, body);
  return reason === undefined ? body : `${body} (not there: ${reason})`;
}

function hasAll(body: BodyName, content: string): boolean {
  return content.split('pay').length - 1 === (body.endsWith('FormData') ? 2 : 1);
}

async function uploaded(
  { host }: Pick<Runtime, 'host'>,
  client: ClientName,
  body: BodyName,
): Promise<UploadReport & { readonly requests: readonly Received[] }> {
  await using lab = await startLab(allowing(readable(503), readable(200)));
  const { got } = await host().ask({ kind: 'upload', client, url: `${lab.origin}/`, body, policy });
  return { requests: sentBy(lab.requests), got };
}

/** With its type; each attempt may have a boundary of its own. */
function contentOf({ headers, body }: Received): string {
  const content = `${headers['content-type']}\n${String(body)}`;
  const boundary = /^--(.+?)\r\n/.exec(String(body))?.[1];
  return boundary === undefined ? content : content.replaceAll(boundary, 'boundary');
}
