/** A redis-server of the test's own on a free port of 127.0.0.1, which can be stopped, killed and started again. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../free-port.js';

export class RedisServer {
  readonly port: number;
  readonly folder: string = mkdtempSync(join(tmpdir(), 'redis-'));
  private readonly options: readonly string[];
  private process: ChildProcess | undefined;

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.options = options;
  }

  static async start(...options: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    await server.start();
    return server;
  }

  /** With a certificate that it signs itself: `cert.pem` in its folder. */
  static async startTls(): Promise<RedisServer> {
    const options: string[] = [];
    const server = new RedisServer(await freePort(), options);
    const [key, cert] = [join(server.folder, 'key.pem'), join(server.folder, 'cert.pem')];
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    options.push('--port', '0', '--tls-port', String(server.port), '--tls-auth-clients', 'no');
    options.push('--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** It keeps nothing on disk: once killed, it has forgotten everything. */
  async start(): Promise<void> {
    const here = ['--bind', '127.0.0.1', '--port', String(this.port), '--dir', this.folder];
    const args = [...here, '--save', '', '--appendonly', 'no', ...this.options];
    this.process = spawn('redis-server', args, { stdio: 'ignore' });
    await once(this.process, 'spawn');
    while (!(await isListening(this.port))) await sleep(10);
  }

  /** It takes connections and answers nothing. */
  pause(): void {
    this.process?.kill('SIGSTOP');
  }

  goOn(): void {
    this.process?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const { process } = this;
    this.process = undefined;
    if (process === undefined || process.exitCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
