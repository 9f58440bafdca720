import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, ROOT, readSource, readText } from './sources.ts';

/** The most files of each walk. */
const MOST: Readonly<Record<string, number>> = {
  'POST /orders': 40,
  'The list of orders': 30,
  'POST /events to the sent message': 60,
};

const walks = readText('docs/design/walks.md')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    name: text.slice(0, text.indexOf('\n')),
    files: [...text.matchAll(/^\d+\. `([^`]+)` .+\.$/gm)].map(([, path]) => path!),
    lines: text.split('\n').filter((line) => /^\d+\. /.test(line)).length,
  }));

test('there are walks, each with a sentence for every file and few files', () => {
  expect(walks.map(({ name }) => name)).toEqual(Object.keys(MOST));
  for (const { name, files, lines } of walks) {
    expect([name, files.length]).toEqual([name, lines]);
    expect(files.length).toBeLessThanOrEqual(MOST[name]!);
  }
});

test('each file exists and imports an earlier one of its walk or is imported by it', () => {
  const targets = new Map(
    ['src', 'admin/src'].flatMap(filesUnder).flatMap((path) => {
      return /\.tsx?$/.test(path) ? [[path, new Set(readSource(path).imports.map(({ target }) => target))]] : [];
    }),
  );
  const isConnected = (a: string, b: string): boolean =>
    targets.get(a)?.has(b) === true || targets.get(b)?.has(a) === true;
  // These put the program together: what they create is handed to what they create next.
  const ROOTS = ['src/app.ts', 'src/routes.ts', 'src/surfaces.ts'];
  const problems = walks.flatMap(({ name, files }) =>
    files.flatMap((path, i) => {
      if (!existsSync(join(ROOT, path))) return `${name}: ${path} does not exist`;
      if (i === 0 || ROOTS.some((root) => targets.get(root)?.has(path))) return [];
      return files.slice(0, i).some((earlier) => isConnected(earlier, path))
        ? []
        : `${name}: ${path} is not connected to an earlier file`;
    }),
  );
  expect(problems).toEqual([]);
});
