import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Builds the admin app into admin/dist: npm runs it after `npm ci`. */
await build({ configFile: fileURLToPath(new URL('./vite.config.ts', import.meta.url)) });
