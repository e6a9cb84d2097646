import type { Failures } from './row.js';
import { unclear, unsent } from './row.js';

export const undiciFailures: Failures = {
  byCode: [
    ['UND_ERR_CONNECT_TIMEOUT', unsent],
    ['UND_ERR_HEADERS_TIMEOUT', unclear],
    ['UND_ERR_BODY_TIMEOUT', unclear],
    ['UND_ERR_SOCKET', unclear],
    ['UND_ERR_INFO', unclear],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', unclear],
    ['UND_ERR_PRX_TLS', unsent],
  ],
  // Every SOCKS error is one of the handshake.
  byPrefix: [['UND_ERR_SOCKS5', unsent]],
  timeouts: ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
};

/** ProxyAgent says it in the text alone; the proxy's own headers are lost. */
export function refusedTunnel(code: string | undefined, message: string): number | undefined {
  const found = code === 'UND_ERR_ABORTED' ? /^Proxy response \((\d{3})\)/.exec(message)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}
