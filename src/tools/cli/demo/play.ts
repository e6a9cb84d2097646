/** Plays the scenes and prints each decision when it is made. */

import { inspect } from 'node:util';
import type { DecisionEvent, Observe, PolicyOptions } from '../../../index.js';
import { createRetrier, explain } from '../../../index.js';
import type { Printer, Style } from '../printer.js';
import { wrap } from '../table.js';
import type { Connected, DemoClient, DemoRequest } from './clients.js';
import { FaultyServer } from './faulty-server.js';
import type { Scene } from './scenes.js';
import { crowd } from './scenes.js';

/** The first client stands in for a missing one. */
export async function playAll(
  scenes: readonly Scene[],
  clients: readonly [DemoClient, ...DemoClient[]],
  out: Printer,
): Promise<void> {
  const server = new FaultyServer(new Map(scenes.map(({ path, script }) => [path, script])));
  const origin = await server.open();
  try {
    for (const [index, scene] of scenes.entries()) {
      const client = clients.find(({ name }) => name === scene.client) ?? clients[0];
      printHead(out, index + 1, scene, client);
      await play(scene, client, `${origin}${scene.path}`, out);
      const moral = scene.moral?.(server.visitsTo(scene.path), scene.requests);
      if (moral !== undefined) printText(out, moral);
      out.line();
    }
  } finally {
    await server.close();
  }
}

function printHead(out: Printer, number: number, scene: Scene, { name }: DemoClient): void {
  const { title, method, path, requests, policy } = scene;
  const what = `${requests === 1 ? '' : `${requests} times `}${method} ${path}`;
  out.line(out.paint('bold', `${number}. ${title}`));
  printText(out, `${name}, ${what}, ${written(policy)}`, { style: 'dim' });
}

/** As one would write it in a program. */
function written(policy: PolicyOptions): string {
  if (Object.keys(policy).length === 0) return 'with the default policy';
  return `with the policy ${inspect(policy, { depth: null, breakLength: Infinity })}`;
}

interface Manner {
  readonly style?: Style;
  /** Before the first line; the others are indented by its length. */
  readonly label?: string;
}

function printText(out: Printer, text: string, { style, label = '  ' }: Manner = {}): void {
  for (const [index, line] of wrap(text, out.width - label.length - 1).entries()) {
    const margin = index === 0 ? label : ' '.repeat(label.length);
    out.line(`${margin} ${style === undefined ? line : out.paint(style, line)}`);
  }
}

async function play(scene: Scene, client: DemoClient, url: string, out: Printer): Promise<void> {
  const { policy, method, requests } = scene;
  const isCrowd = requests >= crowd;
  const observe: Observe = (event) => {
    if (event.type === 'decision') printDecision(out, event);
  };
  const connected = client.connect(createRetrier(isCrowd ? policy : { ...policy, observe }));
  try {
    if (isCrowd) await sendCrowd(connected, { method, url }, requests);
    else await sendEach(connected, { method, url }, requests, out);
  } finally {
    await connected.close();
  }
}

function printDecision(out: Printer, { world, decision }: DecisionEvent): void {
  const seconds = (world.now - (world.startedAt ?? world.now)) / 1_000;
  const style = decision.action === 'retry' ? 'yellow' : 'cyan';
  printText(out, explain(decision), { style, label: `   ${seconds.toFixed(2)} s ` });
}

async function sendEach(
  connected: Connected,
  request: DemoRequest,
  count: number,
  out: Printer,
): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    if (count > 1) printText(out, `Request ${sent + 1}`);
    try {
      const status = await connected.send(request);
      printText(out, `You get the answer ${status}.`, { style: status < 400 ? 'green' : 'red' });
    } catch (error) {
      printText(out, `You get the error ${described(error as NodeJS.ErrnoException)}.`, { style: 'red' });
    }
  }
}

/** fetch says "fetch failed", and the reason is its cause. */
function described({ code, name, message, cause }: NodeJS.ErrnoException): string {
  const { code: reason } = Object(cause) as NodeJS.ErrnoException;
  return `${code ?? name}: ${message}${code === undefined && reason !== undefined ? ` (${reason})` : ''}`;
}

/** A few at a time. */
async function sendCrowd(connected: Connected, request: DemoRequest, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += crowd) {
    await Promise.allSettled(Array.from({ length: crowd }, () => connected.send(request)));
  }
}
