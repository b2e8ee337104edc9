// Copies the libraries of the lock file to console/vendor, or with --check compares them.
//
// The only change is the import of "preact" in its hooks: without an import map, which would be an
// inline script, browsers resolve relative paths only.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Vendored file, package, and file of the package. */
const FILES = [
  ['preact.js', 'preact', 'dist/preact.mjs'],
  ['preact-hooks.js', 'preact', 'hooks/dist/hooks.mjs'],
  ['preact.LICENSE.txt', 'preact', 'LICENSE'],
  ['htm.js', 'htm', 'dist/htm.mjs'],
  ['htm.LICENSE.txt', 'htm', 'LICENSE'],
];

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.CONSOLE_NODE_MODULES ?? join(here, 'node_modules');
const check = process.argv.includes('--check');
const require = createRequire(import.meta.url);
const { devDependencies } = require('./package.json');

let different = 0;
for (const [name, library, path] of FILES) {
  const { version } = JSON.parse(readFileSync(join(modules, library, 'package.json'), 'utf8'));
  if (version !== devDependencies[library]) throw new Error(`${library} ${version} is installed`);
  const source = readFileSync(join(modules, library, path), 'utf8');
  const text = source
    .replaceAll('from"preact"', 'from"./preact.js"')
    .replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
  const target = join(here, '..', 'vendor', name);
  if (!check) {
    writeFileSync(target, text);
  } else if (readFileSync(target, 'utf8') !== text) {
    console.error(`console/vendor/${name} is not the file of ${library} ${version}`);
    different += 1;
  }
}
process.exit(different ? 1 : 0);
