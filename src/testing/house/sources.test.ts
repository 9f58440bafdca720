import { describe, expect, it } from 'vitest';
import { analyse, sqlTexts } from './sources.ts';

const splice = (inner: string): string => `$\{${inner}}`;
const source = (text: string) => analyse('src/commerce/orders/service.ts', text);

describe('reading sources', () => {
  it('takes comments out and leaves what looks like one', () => {
    const { code } = source(
      "const a = 'http://x'; // away\n/* away\n */ const b = `/* stays */`;\nconst c = /[/*]/.test(d);",
    );
    expect(code).toContain("'http://x'");
    expect(code).toContain('`/* stays */`');
    expect(code).toContain('/[/*]/.test(d)');
    expect(code).not.toContain('away');
    expect(code.split('\n')).toHaveLength(4);
  });

  it('takes quoted texts out and leaves templates', () => {
    const { bare } = source(`say('process.env', "any", \`${splice('new Date()')}\`, /Date/);`);
    expect(bare).not.toMatch(/process|any/);
    expect(bare).toContain(splice('new Date()'));
  });

  it('finds imports, and which are types alone', () => {
    const { imports } = source(
      [
        "import type { A } from './contract.ts';",
        "import { type B, type C } from '../../db/pool.ts';",
        "import { d, type E } from './queries.ts';",
        "import pg from 'pg';",
        "import './effect.ts';",
        "export { f } from './f.ts';",
        "const g = await import('../products/service.ts');",
        "// import { no } from './comment.ts';",
        'const text = "import { no } from \'./text.ts\'";',
      ].join('\n'),
    );
    expect(imports).toEqual([
      { target: 'src/commerce/orders/contract.ts', typeOnly: true },
      { target: 'src/db/pool.ts', typeOnly: true },
      { target: 'src/commerce/orders/queries.ts', typeOnly: false },
      { target: 'pg', typeOnly: false },
      { target: 'src/commerce/orders/effect.ts', typeOnly: false },
      { target: 'src/commerce/orders/f.ts', typeOnly: false },
      { target: 'src/commerce/products/service.ts', typeOnly: false },
    ]);
  });

  it('finds statements with all that is spliced in', () => {
    const outer = `select ${splice('a ? sql`b` : rawSql(`c}`)')} from t where x = ${splice('"}`"')}`;
    const code = `export async function one() { return sql\`${outer}\`; }\nconst two = () => sql\`delete from t\`;`;
    expect(sqlTexts(code)).toEqual([
      { within: 'one', text: outer },
      { within: 'one', text: 'b' },
      { within: 'two', text: 'delete from t' },
    ]);
  });
});
