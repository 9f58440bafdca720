#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';

/** The first with argon2 in node:crypto, as the published package.json requires. */
const [MAJOR, MINOR] = [24, 7];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < MAJOR || (major === MAJOR && minor < MINOR)) {
  process.stderr.write(`Tradeloom needs Node ${MAJOR}.${MINOR} or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

// Strips types and compiles code once, not at every start, which halves the load time. Where the folder cannot be
// written to, every start does it anew.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/tradeloom', import.meta.url)));
const { run } = await import('./cli/program.ts');

process.exitCode = await run(process.argv.slice(2));
