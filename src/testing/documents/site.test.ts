import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PAGES, fileOf as siteFile } from '../../../docs/.vitepress/pages.ts';
import { commerceEndpoints, marketingEndpoints } from '../../endpoints.ts';
import { GUIDE_FOLDER } from '../../http/pages/guide.ts';

const BASE = '/docs/guide/';
const fileOf = (path: string): URL =>
  new URL(path === '' || path.endsWith('/') ? `${path}index.html` : path, GUIDE_FOLDER);
const read = (path: string): string => readFileSync(fileOf(path), 'utf8');
const pages = PAGES.map(({ path }) => ({ path, html: read(`${siteFile(path)}.html`) }));

/** The site that `npm ci` built. */
describe('the built site', () => {
  it('has no inline script or style, and nothing of another host', () => {
    const found = pages.flatMap(({ path, html }) =>
      [
        ...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>/g),
        ...html.matchAll(/<style[\s>]/g),
        ...html.matchAll(/<[^>]+\sstyle="[^"]*"/g),
        ...html.matchAll(/<(?:script|img|link|iframe|source)[^>]+(?:src|href)="(?:https?:)?\/\/[^"]*"/g),
        ...html.matchAll(/<[^>]+\son\w+="/g),
      ].map(([text]) => `${path}: ${text.slice(0, 120)}`),
    );
    expect(found).toEqual([]);
  });

  it('leads from the first page to every page', () => {
    const first = pages[0]!.html;
    const missing = PAGES.filter(({ path }) => !first.includes(`href="${BASE}${path}"`)).map(({ path }) => path);
    expect(missing).toEqual([]);
  });

  it('has what its links lead to, headings included', () => {
    const byPath = new Map(pages.map(({ path, html }) => [path, html]));
    const broken: string[] = [];
    let checked = 0;
    for (const { path, html } of pages) {
      for (const [, href] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        if (!href!.startsWith(BASE) && !href!.startsWith('#')) continue;
        checked++;
        const [target = '', anchor] = href!.startsWith('#')
          ? [path, href!.slice(1)]
          : href!.slice(BASE.length).split('#');
        const text = byPath.get(target);
        const known =
          text === undefined
            ? existsSync(fileOf(target))
            : anchor === undefined || text.includes(`id="${decodeURIComponent(anchor)}"`);
        if (!known) broken.push(`${path}: ${href}`);
      }
    }
    expect(broken).toEqual([]);
    expect(checked).toBeGreaterThan(1_000);
  });

  it('is listed for language models, with every endpoint of both APIs', () => {
    const list = read('llms.txt');
    expect(list).toMatch(/^# Tradeloom\n\n> /);
    const addresses = [...list.matchAll(/\]\(\/docs\/guide\/([^)]+)\)/g)].map(([, address]) => address!);
    expect(addresses.toSorted()).toEqual(PAGES.map(({ path }) => `${siteFile(path)}.md`).toSorted());
    for (const address of addresses) expect(read(address)).toMatch(/^# /m);
    const full = read('llms-full.txt');
    const missing = [
      ...commerceEndpoints.map(({ method, path }) => `\n## ${method} /commerce/v1${path}\n`),
      ...marketingEndpoints.map(({ method, path }) => `\n## ${method} /marketing/v1${path}\n`),
    ].filter((heading) => !full.includes(heading));
    expect(missing).toEqual([]);
  });
});
