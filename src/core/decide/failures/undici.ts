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
  // All SOCKS errors belong to the handshake, before the request is sent.
  byPrefix: [['UND_ERR_SOCKS5', unsent]],
};

/**
 * The status with which a proxy refused the tunnel. ProxyAgent has it only in the message; the proxy's headers are
 * lost.
 */
export function refusedTunnel(code: string | undefined, message: string): number | undefined {
  const found = code === 'UND_ERR_ABORTED' ? /^Proxy response \((\d{3})\)/.exec(message)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}
