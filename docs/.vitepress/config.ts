import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf, coloursAsClasses, plainMarkdown } from './markdown.ts';
import { fileOf, NOT_SEARCHED, PAGES, SECTIONS } from './pages.ts';

const BASE = '/docs/guide/';
const { transformer, stylesheet } = coloursAsClasses();
const scripts = new Map<string, string>();

/** Stores a page's script in a file: the Content-Security-Policy permits only files of this server. */
function scriptFile(text: string): string {
  const name = `assets/inline.${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`;
  scripts.set(name, text);
  return `<script src="${BASE}${name}"></script>`;
}

export default defineConfig({
  base: BASE,
  lang: 'en',
  title: 'Tradeloom',
  titleTemplate: ':title – Tradeloom',
  description: 'The back end of a shop and its marketing automation in one program',
  cleanUrls: true,
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['link', { rel: 'stylesheet', href: `${BASE}code.css` }],
  ],
  // Without `false`, switching the colours adds a <style> element, which the policy refuses.
  appearance: { disableTransition: false } as never,
  markdown: {
    config: plainMarkdown,
    anchor: { slugify: anchorOf },
    codeTransformers: [transformer as never],
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: { logLevel: 'warn', build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 2_000 } },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        _render(source, env, md) {
          const html = md.render(source, env);
          return NOT_SEARCHED.includes(env.relativePath.replace(/\.md$/, '')) ? '' : html;
        },
      },
    },
    outline: [2, 3],
    docFooter: { prev: 'Before', next: 'Next' },
    // Collapsible sections would be buttons within a button.
    sidebar: SECTIONS.map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) => ({ text: page.title, link: `/${page.path}` })),
    })),
  },
  transformPageData(data) {
    const page = PAGES.find(({ path }) => `${fileOf(path)}.md` === data.relativePath);
    if (page !== undefined) data.description = page.about;
  },
  transformHtml: (html) =>
    html
      .replace(/<script(?: id="[\w-]+")?>([\s\S]*?)<\/script>/g, (_, text) => scriptFile(text))
      .replaceAll(/ style="(--vp-vh:0px;|position:relative;)"/g, ''),
  buildEnd({ outDir }) {
    mkdirSync(join(outDir, 'assets'), { recursive: true });
    for (const [name, text] of scripts) writeFileSync(join(outDir, name), text);
    writeFileSync(join(outDir, 'code.css'), stylesheet());
  },
});
