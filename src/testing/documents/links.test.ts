import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorOf } from '../../../docs/.vitepress/markdown.ts';
import { OUTSIDE, PAGES } from '../../../docs/.vitepress/pages.ts';
import { sourceOf } from '../../../docs/.vitepress/sources.ts';
import { filesUnder, ROOT, readText } from '../house/sources.ts';

const ALL = [
  ...filesUnder('').filter((path) => /^[^/]+\.md$/.test(path)),
  ...filesUnder('docs').filter((path) => path.endsWith('.md')),
  ...['client/README.md', 'examples/README.md'],
];

/** The text without code, where brackets are not links and `#` is not a heading. */
function prose(path: string): string {
  return readText(path)
    .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]]/g, ''));
}

function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of prose(path).matchAll(/^#{1,6} (.+)$/gm)) {
    const text = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
    const base = anchorOf(text);
    let anchor = base;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${base}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

function linksOf(path: string): string[] {
  const text = prose(path);
  const written = [...text.matchAll(/\]\(<?([^)\s>]+)>?\)/g), ...text.matchAll(/<img src="([^"]+)"/g)];
  return written.map(([, href]) => href!);
}

describe('links of the documents', () => {
  it('lead to files that exist, and to headings that they have', () => {
    const broken: string[] = [];
    let checked = 0;
    for (const path of ALL) {
      for (const href of linksOf(path)) {
        if (/^(https?|mailto):/.test(href)) continue;
        checked++;
        const [file = '', anchor] = decodeURIComponent(href).split('#');
        const target = file === '' ? path : normalize(join(dirname(path), file));
        if (!existsSync(join(ROOT, target))) broken.push(`${path}: ${href}`);
        else if (anchor !== undefined && (!isMarkdown(target) || !anchorsOf(target).has(anchor))) {
          broken.push(`${path}: ${href} has no such heading`);
        }
      }
    }
    expect(broken).toEqual([]);
    expect(checked).toBeGreaterThan(100);
  });

  const isMarkdown = (path: string): boolean => path.endsWith('.md') && statSync(join(ROOT, path)).isFile();
});

describe('the navigation of the site', () => {
  it('has every page of docs, once', () => {
    const inNavigation = PAGES.map(({ path }) => sourceOf(path));
    const written = ALL.filter((path) => path.startsWith('docs/') && !/^docs\/\[page\]/.test(path));
    expect(inNavigation.toSorted()).toEqual([...written, ...Object.values(OUTSIDE)].toSorted());
    const untitled = inNavigation.filter((path) => !/^# \S/m.test(readText(path)));
    expect(untitled).toEqual([]);
  });

  it('describes the content of each page', () => {
    expect(PAGES.filter(({ title, about }) => title.length < 5 || about.length < 15)).toEqual([]);
    expect(new Set(PAGES.map(({ title }) => title)).size).toBe(PAGES.length);
  });
});
