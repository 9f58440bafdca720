import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesUnder, ROOT, readText } from './sources.ts';

const FOLDER = 'docs/design/';
const INDEX = `${FOLDER}index.md`;
/** Pages of another form, which no code cites. */
const OTHER_PAGES = ['walks.md', 'adding-a-field.md', 'adding-a-resource.md'].map((name) => FOLDER + name);
const pages = filesUnder('docs/design').filter((path) => path !== INDEX);
const notes = pages.filter((path) => !OTHER_PAGES.includes(path));
const sources = ['src', 'admin', 'bench', 'packaging', 'client', 'release'].flatMap((folder) =>
  filesUnder(folder).filter((path) => /\.(tsx?|js|sql)$/.test(path)),
);

describe('the design notes', () => {
  it('have at most 150 lines under the headings Now, Why, Figures and History', () => {
    expect(notes.length).toBeGreaterThan(20);
    const wrong = notes.filter((path) => {
      const text = readText(path);
      const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
      return headings.join() !== 'Now,Why,Figures,History' || text.split('\n').length > 150;
    });
    expect(wrong).toEqual([]);
  });

  it('are each one row of the index', () => {
    const rows = [...readText(INDEX).matchAll(/^\| \[[^\]]+\]\(([^)]+)\) \|/gm)].map(([, name]) => FOLDER + name);
    expect(rows.toSorted()).toEqual(pages.toSorted());
  });

  it('exist where a file cites them, and each is cited by the code that it explains', () => {
    const cited = new Set<string>();
    const missing: string[] = [];
    for (const path of sources) {
      for (const [note] of readText(path).matchAll(/docs\/design\/[\w-]+\.md/g)) {
        cited.add(note);
        if (!existsSync(join(ROOT, note))) missing.push(`${path}: ${note}`);
      }
    }
    expect(missing).toEqual([]);
    expect(notes.filter((note) => !cited.has(note))).toEqual([]);
  });

  it('name only files and folders that exist', () => {
    const missing = [...pages, INDEX].flatMap((path) =>
      [...readText(path).matchAll(/`((?:src|admin|bench|packaging|client|release|docs)\/[\w./-]*)`/g)]
        .filter(([, named]) => !existsSync(join(ROOT, named!)))
        .map(([, named]) => `${basename(path)}: ${named}`),
    );
    expect(missing).toEqual([]);
  });
});
