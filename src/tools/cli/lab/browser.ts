/** Opens an address in the user's browser, where there is a screen to show one. */

import { spawn } from 'node:child_process';
import type { Environment } from '../printer.js';

export type OpenBrowser = (url: string) => void;

/** Never fails: the address has been printed as well. */
export function openInBrowser(url: string): void {
  const [program, ...args] = browserCommand(process.platform, process.env) ?? [];
  if (program === undefined) return;
  try {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.on('error', () => {});
    child.unref();
  } catch {
    // As above.
  }
}

/** Undefined: there is no screen, or it is another machine's. */
export function browserCommand(
  platform: NodeJS.Platform,
  { CI, SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY }: Environment,
): readonly string[] | undefined {
  if (CI || SSH_CONNECTION) return undefined;
  if (platform === 'darwin') return ['open'];
  // `start` would need a shell, which takes characters of a link for its own.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}
