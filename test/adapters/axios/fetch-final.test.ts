/** What fetch calls a failure of the network, or the caller's own functions throw within it, is not sent again. */

import type { AxiosRequestConfig } from 'axios';
import { expect, test } from 'vitest';
import { answer, type Lab } from '../../faults/lab.js';
import { openLab, settled, soon } from '../kit.js';
import { minor } from './client.js';
import { openInstance, retryingInstance } from './kit.js';

const to = (location: string) => answer(302, '', { location });
const fine = answer(200, 'fine');

function fail(): never {
  throw new Error('mine');
}

const own = minor >= 12;

const rows: [string, ReturnType<typeof answer>, object, sent: number][] = [
  ['a redirect to ftp:', to('ftp://a.example/'), {}, 1],
  ['a redirect to data:', to('data:text/plain,x'), {}, 1],
  ['a redirect that fetchOptions forbid', to('/'), { fetchOptions: { redirect: 'error' } }, 1],
  ['the wrong integrity', fine, { fetchOptions: { integrity: 'sha256-AAAA' } }, 1],
  ['a validateStatus that throws', fine, { validateStatus: fail }, 1],
  [
    'a validateStatus that throws an error that looks like one of fetch',
    fine,
    {
      validateStatus() {
        throw new TypeError('fetch of undefined');
      },
    },
    1,
  ],
  ...((own
    ? [
        ['an env.fetch that throws', fine, { env: { fetch: fail } }, 0],
        ['an env.fetch that rejects', fine, { env: { fetch: async () => fail() } }, 0],
      ]
    : []) as [string, ReturnType<typeof answer>, object, number][]),
];

test.each(rows)('%s', async (_name, play, config, sent) => {
  const ask = async (lab: Lab, instance: ReturnType<typeof openInstance>) => {
    const { error } = await settled(instance.get(lab.origin, config as AxiosRequestConfig));
    const { message, code, cause } = error as Error & { readonly code?: string };
    return { message, code, cause: (cause as Error | undefined)?.message };
  };
  const lab = await openLab(play);
  const found = await ask(lab, retryingInstance(soon, { adapter: 'fetch' }));
  expect(lab.requests).toHaveLength(sent);
  expect(found).toEqual(await ask(lab, openInstance({ adapter: 'fetch' })));
});
