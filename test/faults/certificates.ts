/** The lab's certificates. The files are made by `fixtures/tls/make.sh`. */

import { readFileSync } from 'node:fs';

/** A certificate, or a fault in the handshake itself. */
export type TlsKind =
  | CertificateKind
  /** The client's hello is answered with a FIN, an RST, or never. */
  | 'handshake-fin'
  | 'handshake-rst'
  | 'handshake-stall'
  /** The client's hello is answered with an HTTP response in the clear. */
  | 'plain-http-on-tls-port';

export type CertificateKind = 'trusted' | 'self-signed' | 'expired' | 'wrong-host';

/** The authority that signed all but `self-signed`: clients must trust it. */
export const ca: string = pem('ca');

export function keyAndCertificateOf(kind: CertificateKind): { readonly key: string; readonly cert: string } {
  const both = pem(kind);
  return { key: both, cert: both };
}

function pem(name: string): string {
  return readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url), 'latin1');
}
