import { describe, expect, it } from 'vitest';
import { importGraph, shortestCycle } from './import-graph.ts';
import { analyse, filesUnder, readSource } from './sources.ts';

const isTest = (path: string): boolean =>
  path.endsWith('.test.ts') || path.startsWith('src/testing/') || /\/testing[-/]/.test(path);
const all = [...filesUnder('src'), ...filesUnder('bench')].filter((path) => path.endsWith('.ts')).map(readSource);
const product = all.filter(({ path }) => path.startsWith('src/') && !isTest(path));

const importsFrom = (from: RegExp, to: RegExp): string[] =>
  product
    .filter(({ path }) => from.test(path))
    .flatMap(({ path, imports }) =>
      imports.filter(({ target }) => to.test(target)).map(({ target }) => `${path} → ${target}`),
    );

describe('imports, those of types included,', () => {
  it('go round in no circle', () => {
    expect(shortestCycle(importGraph(product))?.join(' → ') ?? null).toBeNull();
  });

  it('lead to the composition root from the program and its commands alone', () => {
    const roots = ['src/app.ts', 'src/services.ts'];
    const mayImport = /^(src\/(main|app)\.ts|src\/(cli|testing)\/|bench\/)|\.test\.ts$/;
    const importers = all.filter(({ imports }) => imports.some(({ target }) => roots.includes(target)));
    expect(importers.length).toBeGreaterThan(3);
    expect(importers.map(({ path }) => path).filter((path) => !mayImport.test(path))).toEqual([]);
  });

  it('of the wire protocol lead through its interface', () => {
    expect(importsFrom(/^src\/db\/wire\//, /^pg-protocol$/).length).toBeGreaterThan(0);
    const elsewhere = /^src\/(?!db\/wire\/)/;
    expect(importsFrom(elsewhere, /^src\/db\/wire\/(?!(wire|turn)\.ts$)|^pg-protocol$/)).toEqual([]);
  });

  it('of what all features build on lead to no feature', () => {
    const foundation = /^src\/(http|db|lib|access|work)\//;
    expect(importsFrom(foundation, /^src\//).length).toBeGreaterThan(100);
    const feature =
      /^src\/(?!(http|db|lib|access|work)\/)[^/]+\/|^src\/(app|endpoints|installation|invariants|jobs|routes)\.ts$/;
    expect(importsFrom(foundation, feature)).toEqual([]);
  });

  it('of what all features build on lead downwards: http → work → access → db → lib', () => {
    const layers = ['lib', 'db', 'access', 'work', 'http'];
    const upwards = layers.flatMap((layer, i) => {
      const above = layers.slice(i + 1).join('|');
      return above === '' ? [] : importsFrom(new RegExp(`^src/${layer}/`), new RegExp(`^src/(${above})/`));
    });
    expect(upwards).toEqual([]);
  });

  it('lead from messaging to marketing in these places alone, and the other way everywhere', () => {
    const upwards = importsFrom(/^src\/messaging\/(?!testing\/)/, /^src\/marketing\//);
    expect(importsFrom(/^src\/marketing\//, /^src\/messaging\//).length).toBeGreaterThan(50);
    expect(upwards.toSorted()).toEqual([
      'src/messaging/compose/renderer.ts → src/marketing/templates/design/schema.ts',
      'src/messaging/compose/thread/jobs.ts → src/marketing/templates/design/schema.ts',
      'src/messaging/compose/thread/texts.ts → src/marketing/templates/design/compile.ts',
      'src/messaging/consent/change-preferences.ts → src/marketing/contacts/service.ts',
      'src/messaging/consent/change-preferences.ts → src/marketing/lists/service.ts',
      'src/messaging/consent/confirmation-links.ts → src/marketing/contacts/service.ts',
      'src/messaging/consent/confirmations.ts → src/marketing/lists/service.ts',
    ]);
  });

  it('of a feature lead to what serves HTTP from its handlers and pages alone', () => {
    const inner = /^src\/(commerce|marketing|messaging|outbox|erasure)\/(?!.*\b(http|contract|pages|page)\.ts$)/;
    expect(importsFrom(inner, /^src\/db\//).length).toBeGreaterThan(50);
    expect(importsFrom(inner, /^src\/http\/|^fastify$/)).toEqual([]);
  });
});

describe('the search for a cycle', () => {
  const graphOf = (files: Record<string, string>) =>
    importGraph(Object.entries(files).map(([path, text]) => analyse(path, text)));

  it('finds the shortest, through types as well', () => {
    const files = {
      'src/a.ts': "import { b } from './b.ts';",
      'src/b.ts': "import { c } from './c.ts';",
      'src/c.ts': "import { a } from './a.ts';\nimport type { D } from './d.ts';",
      'src/d.ts': "import type { C } from './c.ts';",
    };
    const cycle = shortestCycle(graphOf(files));
    expect(cycle).toHaveLength(3);
    expect(new Set(cycle)).toEqual(new Set(['src/c.ts', 'src/d.ts']));
  });

  it('finds a file that imports itself, and nothing where no way leads back', () => {
    expect(shortestCycle(graphOf({ 'src/a.ts': "import { a } from './a.ts';" }))).toEqual(['src/a.ts', 'src/a.ts']);
    const files = { 'src/a.ts': "import './b.ts';\nimport './c.ts';", 'src/b.ts': "import './c.ts';", 'src/c.ts': '' };
    expect(shortestCycle(graphOf(files))).toBeNull();
  });
});
