import { Agent, BalancedPool, Client, interceptors, MockAgent, Pool, ProxyAgent } from 'undici';
import { describe, expect, test } from 'vitest';
import { isPlain } from '../../src/drivers/hop-counter.js';

const origin = 'http://127.0.0.1:9';
const following = () => new Agent().compose(interceptors.redirect({ maxRedirections: 3 }));

describe('undici itself is beneath', () => {
  test.each([
    ['an Agent', () => new Agent()],
    ['an Agent with options', () => new Agent({ connections: 1, connect: { timeout: 50 } })],
    ['a Pool', () => new Pool(origin)],
    ['a Client', () => new Client(origin)],
    ['a BalancedPool', () => new BalancedPool([origin])],
    ['a ProxyAgent', () => new ProxyAgent(origin)],
    ['a MockAgent', () => new MockAgent()],
    ['a MockAgent over an Agent', () => new MockAgent({ agent: new Agent() })],
  ])('%s', (_, make) => {
    expect(isPlain(make())).toBe(true);
  });
});

describe('something else may send beneath', () => {
  test.each([
    ['interceptors', following],
    ['an Agent whose factory composes', () => new Agent({ factory: (url) => new Pool(url).compose() })],
    [
      'a Pool whose factory composes',
      () => new Pool(origin, { factory: (url) => new Client(url).compose() }),
    ],
    ['a MockAgent over interceptors', () => new MockAgent({ agent: following() })],
    [
      'a dispatch of its own',
      () =>
        new (class extends Agent {
          override dispatch(...given: Parameters<Agent['dispatch']>): boolean {
            return super.dispatch(...given);
          }
        })(),
    ],
    ['an object', () => ({ dispatch: () => true })],
  ])('%s', (_, make) => {
    expect(isPlain(make() as { dispatch: unknown })).toBe(false);
  });
});
