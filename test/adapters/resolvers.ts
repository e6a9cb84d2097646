/** A `lookup` in place of the system's resolver, which answers by itself. */

export function failingLookup(code: string) {
  return (name: string, _options: object, done: (error: Error) => void): void => {
    const error = new Error(`getaddrinfo ${code} ${name}`);
    setImmediate(done, Object.assign(error, { code, syscall: 'getaddrinfo', hostname: name }));
  };
}

/** Two addresses, for Node to try one after the other. */
export function lookupOfTwo() {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  return (_name: string, _options: object, done: (error: null, found: unknown) => void): void => {
    setImmediate(done, null, addresses);
  };
}

/** Node gives up on the first address so soon that a test can wait for it. */
export const tryNextSoon = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 50 } as const;
