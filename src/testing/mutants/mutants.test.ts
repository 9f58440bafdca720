import { describe, expect, it } from 'vitest';
import { analyse } from '../house/sources.ts';
import { outdated, readKnown, reasonFor } from './known.ts';
import { mutantsOf } from './mutate.ts';
import { NearestTests } from './nearest.ts';
import { randomOrder } from './sample.ts';

const changes = (code: string): string[] => mutantsOf('src/x.ts', code).map(({ after }) => after);

describe('a line of code', () => {
  it.each([
    ['const a = b < c;', ['const a = b <= c;']],
    ['const a = b === c;', ['const a = b !== c;']],
    ['const a = b && c;', ['const a = b;', 'const a = b || c;']],
    ['const a = b ?? 4;', ['const a = b;', 'const a = b ?? 5;']],
    ['const a = !b;', ['const a = b;']],
    ['const a = b - 1;', ['const a = b + 1;', 'const a = b - 2;']],
    ['const a = b + "s";', []],
    ['const a = b ? c : true;', ['const a = !(b) ? c : true;', 'const a = b ? c : false;']],
    ['const a = b.filter(c).some(d);', ['const a = b.some(d);', 'const a = b.filter(c).every(d);']],
    ['const a = Math.min(b, c);', ['const a = Math.max(b, c);']],
    ['if (a) b();', ['if (!(a)) b();', 'if (false) b();', 'if (a) {}']],
    ['if (a !== b) throw c;', ['if (false) throw c;', 'if (a === b) throw c;', 'if (a !== b) {}']],
  ])('%s', (code, expected) => {
    expect(changes(code).sort()).toEqual([...expected].sort());
  });

  it('is left alone where a change could not be wrong: chosen figures, types and what is only logged', () => {
    expect(changes('export const POLL_MS = 300;')).toEqual([]);
    expect(changes('type A = B<3> | true;')).toEqual([]);
    expect(changes('log.info({ a: b }, "done");')).toEqual([]);
  });

  it('is told from others by its number and its text, as it was and as it becomes', () => {
    const [mutant] = mutantsOf('src/x.ts', 'const a = 1;\n\n  const b =\n    c > d;\n');
    expect(mutant).toMatchObject({ line: 1, before: 'const a = 1;', after: 'const a = 2;' });
    expect(mutantsOf('src/x.ts', 'const b =\n    c > d;\n')).toMatchObject([
      { line: 2, before: 'c > d;', after: 'c >= d;', text: 'const b =\n    c >= d;\n' },
    ]);
  });
});

describe('a statement of SQL', () => {
  const statement = `const a = sql\`select a from b where company_id = \${c} and d >= \${e} and f is null order by g limit 3 for update\`;`;

  it('loses conditions, but not the one of the company, which row-level security repeats', () => {
    const found = changes(statement);
    expect(found.filter((after) => !after.includes('company_id'))).toEqual([]);
    expect(found.some((after) => !after.includes('d >='))).toBe(true);
    expect(found.some((after) => !after.includes('f is'))).toBe(true);
  });

  it('changes its order, its bounds and its locks', () => {
    const found = changes(statement).join('\n');
    for (const part of ['order by g desc', 'd > $', 'f is not null', 'limit 3`']) expect(found).toContain(part);
    expect(changes('const a = sql`select max(a) from b where not exists (select c) and d <> 1`').join('\n')).toMatch(
      /select min\(a\)[\s\S]*where exists[\s\S]*d = 1/,
    );
  });

  it('of a migration is changed as well', () => {
    const policy = "execute format('alter policy p on %s with check (company_id = 3)', t.name);";
    expect(mutantsOf('a.sql', policy)[0]!.after).toContain('with check (true)');
  });
});

describe('the tests of a file', () => {
  const source = (path: string, ...imports: string[]) =>
    analyse(path, imports.map((target) => `import { x } from '${target}';\n`).join(''));
  const nearest = new NearestTests([
    source('src/testing/harness.ts'),
    source('src/a/b/c/price.ts'),
    source('src/a/b/c/order.ts', './price.ts'),
    source('src/a/b/c/order.test.ts', './order.ts'),
    source('src/a/b/c/orders.test.ts', '../../../testing/harness.ts'),
    source('src/a/b/crash.test.ts', '../../testing/harness.ts'),
    source('src/a/b/other/other.test.ts', '../../../testing/harness.ts'),
    source('src/z/far.test.ts', '../a/b/c/price.ts', '../testing/harness.ts'),
    source('src/z/stranger.test.ts', '../testing/harness.ts'),
  ]);

  it('are those that load it without a server, then those beside it, then those around it', () => {
    expect(nearest.of('src/a/b/c/price.ts', ['src/z/stranger.test.ts'])).toEqual([
      { name: 'unit', files: ['src/a/b/c/order.test.ts'] },
      { name: 'near', files: ['src/a/b/c/orders.test.ts', 'src/z/far.test.ts'] },
      { name: 'wide', files: ['src/z/stranger.test.ts', 'src/a/b/other/other.test.ts'] },
    ]);
  });
});

it('the same seed draws the same sample, and another one a different sample', () => {
  const items = Array.from({ length: 100 }, (_, n) => n);
  expect(randomOrder(items, 7)).toEqual(randomOrder(items, 7));
  expect(randomOrder(items, 7)).not.toEqual(randomOrder(items, 8));
  expect(randomOrder(items, 7).sort((a, b) => a - b)).toEqual(items);
});

describe('the list of known survivors', () => {
  it('gives a reason for each, and names each once', () => {
    const known = readKnown();
    expect(known.filter(({ reason }) => reason.length < 20)).toEqual([]);
    expect(new Set(known.map(({ path, before, after }) => `${path} ${before} ${after}`)).size).toBe(known.length);
  });

  it('applies to a line wherever it stands, and no longer once the line is another one', () => {
    const [mutant] = mutantsOf('src/x.ts', '\nconst a = b < c;');
    const one = {
      path: 'src/x.ts',
      before: 'const a = b < c;',
      after: 'const a = b <= c;',
      reason: 'they are never equal',
    };
    expect(reasonFor([one], mutant!)).toBe('they are never equal');
    expect(outdated([one], 'src/x.ts', [mutant!])).toEqual([]);
    expect(outdated([one], 'src/x.ts', mutantsOf('src/x.ts', 'const a = b < d;'))).toEqual([one]);
  });
});
