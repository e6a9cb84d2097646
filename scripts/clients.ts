/** The clients that have adapters, and their supported versions. */

export interface Client {
  readonly name: 'undici' | 'axios';
  /** From the oldest that the peer range allows to the newest; a major stands for the newest of it. */
  readonly versions: readonly ClientVersion[];
}

export interface ClientVersion {
  readonly version: string;
  /** The major versions of Node that its tests run on. */
  readonly nodes: readonly string[];
}

const allNodes = ['20', '22', '24', '26'];

export const clients: readonly Client[] = [
  {
    name: 'undici',
    versions: [
      // On the Node that goes with such an old version.
      { version: '6.17.0', nodes: ['20'] },
      // Of versions that are no longer the newest, the oldest and the newest Node.
      { version: '6', nodes: ['20', '26'] },
      // The oldest version 7 that works.
      { version: '7.0.0', nodes: ['20', '26'] },
      // The last before fetch, its bodies and the way in which a stream is handed over were rewritten.
      { version: '7.10.0', nodes: ['24'] },
      { version: '7', nodes: allNodes },
      { version: '8', nodes: allNodes },
    ],
  },
  {
    name: 'axios',
    versions: [
      { version: '1.7.0', nodes: ['20'] },
      // HTTP/2 is new in it, limits of size are not minded by fetch yet, and truncated bodies have no response.
      { version: '1.13.2', nodes: ['26'] },
      { version: '1', nodes: ['20', '26'] },
    ],
  },
];

/** What is tested with a client. */
export interface Adapter {
  readonly name: Client['name'] | 'fetch';
  readonly client: Client;
  readonly versions: readonly ClientVersion[];
}

const [undici] = clients as readonly [Client, ...Client[]];

export const adapters: readonly Adapter[] = [
  ...clients.map((client) => ({ name: client.name, client, versions: client.versions })),
  {
    name: 'fetch',
    // Beside Node's own fetch, that of undici is tried.
    client: undici,
    versions: [
      { version: '6', nodes: ['20', '26'] },
      { version: '7', nodes: allNodes },
      { version: '8', nodes: ['22', '26'] },
    ],
  },
];
