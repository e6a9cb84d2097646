/** What `--help` prints: of the program, and of each command. */

import { readFileSync } from 'node:fs';
import { commands } from '../../src/tools/cli/commands.js';
import { printHelp, printOverview } from '../../src/tools/cli/help.js';
import { Printer } from '../../src/tools/cli/printer.js';

export function helpTexts(): string {
  const { description } = JSON.parse(readFileSync('package.json', 'utf8')) as { description: string };
  const overview = printed((out) => printOverview(out, { group: '', commands, description }));
  const each = commands.map((command) => {
    const text = printed((out) => printHelp(out, command));
    return `### undaunted ${command.name}\n\n\`\`\`text\n${text}\n\`\`\``;
  });
  return [`\`\`\`text\n${overview}\n\`\`\``, ...each].join('\n\n');
}

function printed(print: (out: Printer) => void): string {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  print(new Printer({ write, isTTY: true, columns: 110 }, { NO_COLOR: '1' }));
  return text.trimEnd();
}
