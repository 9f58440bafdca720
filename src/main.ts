#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Types are stripped and code is compiled once, not at every start: it halves the time that loading takes. Where the
// folder cannot be written to, every start does it anew.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/tradeloom', import.meta.url)));
const { run } = await import('./cli/program.ts');

process.exitCode = await run(process.argv.slice(2));
