import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { precompress } from '../../admin/precompress.ts';
import { llmsFull, llmsIndex } from './llms.ts';
import { fileOf, PAGES } from './pages.ts';
import { attachedFiles, markdownOf } from './sources.ts';

/**
 * Builds the documentation into docs/.vitepress/dist: npm runs it after `npm ci`. It is not part of the program: without the
 * build tools, as in a production install, it leaves the folder that was shipped, and the installation continues.
 */
const ROOT = new URL('../../', import.meta.url);
const DIST = new URL('./dist/', import.meta.url);

const vitepress = await import('vitepress').catch((error: Error) => {
  process.stdout.write(`The documentation is not built, VitePress could not be loaded: ${error.message}\n`);
  return null;
});
if (vitepress !== null) {
  await rm(DIST, { recursive: true, force: true });
  await vitepress.build(fileURLToPath(new URL('docs/', ROOT)));
  const texts = new Map(PAGES.map((page) => [page, markdownOf(ROOT, page.path)]));
  for (const [{ path }, text] of texts) await put(`${fileOf(path)}.md`, text);
  for (const [name, file] of attachedFiles(ROOT)) {
    await mkdir(dirname(fileURLToPath(new URL(name, DIST))), { recursive: true });
    await cp(file, new URL(name, DIST));
  }
  await put('llms.txt', llmsIndex());
  await put('llms-full.txt', llmsFull(texts));
  // Smaller files, and texts for language models, would save less on the wire than their compressed ones take of the room in the package.
  await precompress(DIST, /\.(js|css|html|json)$/, { least: 24_000, withBrotli: false });
}

async function put(name: string, text: string): Promise<void> {
  const file = new URL(name, DIST);
  await mkdir(dirname(fileURLToPath(file)), { recursive: true });
  await writeFile(file, text);
}
