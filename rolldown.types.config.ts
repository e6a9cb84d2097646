/** The declarations of `dist`, of those that the compiler writes: a file for each entry, and one that they share. */

import type { Plugin, RolldownOptions } from 'rolldown';
import { defineConfig } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { filesNamed, inputOf, outside } from './rolldown.config.js';
import { allEntries, libraryEntries } from './scripts/entries.js';

/** Where the compiler writes those of each source: tsconfig.build.json. */
function declarationOf(source: string): string {
  return source.replace(/^src/, './.build/declarations').replace(/\.(c?)ts$/, '.d.$1ts');
}

/** The axios of CommonJS has types of its own, to which the declarations of the ES module lead by this file. */
const commonjs = declarationOf('src/adapters/axios/commonjs.cts');

/** It is code, which namespaces have and their declarations do not. */
const declarationsWithoutRuntime: Plugin = {
  name: 'declarations without runtime',
  generateBundle(_, bundle) {
    delete bundle['rolldown-runtime.d.ts'];
  },
};

function declarations(input: Record<string, string>, extension: string): RolldownOptions {
  return {
    input,
    external: [...outside, ...('commonjs' in input ? [] : ['./commonjs.cjs'])],
    makeAbsoluteExternalsRelative: false,
    platform: 'neutral',
    plugins: [
      dts({ dtsInput: true, tsconfig: false, emitDtsOnly: true, sideEffects: true }),
      declarationsWithoutRuntime,
    ],
    output: {
      ...filesNamed(extension),
      minifyInternalExports: false,
      // What an adapter declares may need its client, which others do not have.
      codeSplitting: {
        groups: [{ name: 'types', test: /declarations[\\/](?!adapters[\\/])/, minShareCount: 2 }],
      },
    },
  };
}

// biome-ignore lint/style/noDefaultExport: Rolldown reads its configuration from a default export.
export default defineConfig([
  declarations(inputOf(allEntries, declarationOf), '.d.ts'),
  declarations({ ...inputOf(libraryEntries, declarationOf), commonjs }, '.d.cts'),
]);
