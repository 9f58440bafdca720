import { matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commerceEndpoints, marketingEndpoints } from '../../endpoints.ts';
import { COMPLETE, TIMED } from '../test-files.ts';
import { filesUnder, readSource, readText, type Source, sqlTexts } from './sources.ts';
import { ACROSS_COMPANIES } from './statements-across-companies.ts';

/** The house rules that a program can check. ARCHITECTURE.md explains them. */
const all = [...filesUnder('src'), ...filesUnder('bench')].filter((path) => path.endsWith('.ts')).map(readSource);
const isTest = (path: string): boolean => path.endsWith('.test.ts') || path.startsWith('src/testing/');
const product = all.filter(({ path }) => path.startsWith('src/') && !isTest(path));
const byPath = new Map(all.map((source) => [source.path, source]));

/** Returns what stands in the parentheses with which a text begins, without inner ones. */
function inParentheses(text: string): string {
  let depth = 0;
  let inner = '';
  for (const character of text) {
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (depth === 1) inner += character;
    if (depth === 0) break;
  }
  return inner;
}

/** Lines of the sources that match, as `path:line: text`. */
function matches(sources: Source[], pattern: RegExp, part: 'code' | 'text' | 'bare' = 'bare'): string[] {
  return sources.flatMap((source) =>
    source[part]
      .split('\n')
      .map((line, i) => ({ line, at: `${source.path}:${i + 1}` }))
      .filter(({ line }) => pattern.test(line))
      .map(({ line, at }) => `${at}: ${line.trim()}`),
  );
}

const except = (...paths: string[]): Source[] => product.filter(({ path }) => !paths.includes(path));
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const fileOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const valueImports = (source: Source): string[] =>
  source.imports.filter((one) => !one.typeOnly).map((one) => one.target);

/** Building a statement or declaring a table does not count as access to the database: running a statement does. */
const DATABASE = /^pg$|^src\/db\/(?!sql\.ts|lists\.ts|tables?\.ts)/;
const OUTSIDE = new RegExp(
  `${DATABASE.source}|^src/(clock|config|app)\\.ts|^(fastify|undici|nodemailer)$|^node:(fs|net|https?|child_process|worker_threads|dns)(/|$)`,
);

describe('imports', () => {
  /** Folders of one resource each, with its parts in subfolders: other folders may import only the service. */
  const isResource = (folder: string): boolean => byPath.has(`${folder}/service.ts`) && folder !== 'src/access';
  const resourceOf = (path: string): string | null => {
    for (let folder = folderOf(path); folder.includes('/'); folder = folderOf(folder))
      if (isResource(folder)) return folder;
    return null;
  };

  it('point one way: http → service → queries', () => {
    const backwards = product.flatMap(({ path, imports }) => {
      const own = imports.map((one) => one.target).filter((target) => folderOf(target) === folderOf(path));
      const forbidden: Record<string, RegExp> = {
        'http.ts': /queries\.ts$/,
        'service.ts': /\/http\.ts$/,
        'queries.ts': /\/(http|service)\.ts$/,
        'contract.ts': /\/(http|service)\.ts$|queries\.ts$/,
      };
      const pattern = forbidden[/queries\.ts$/.test(path) ? 'queries.ts' : fileOf(path)];
      return own.filter((target) => pattern?.test(target)).map((target) => `${path} → ${target}`);
    });
    expect(backwards).toEqual([]);
  });

  it('enter another folder of a resource through its service, or a part that touches no database', () => {
    const trespassers = product.flatMap((source) =>
      valueImports(source)
        .filter(
          (target) =>
            byPath.has(target) && resourceOf(target) !== null && resourceOf(target) !== resourceOf(source.path),
        )
        .filter((target) => !['service.ts', 'contract.ts'].includes(fileOf(target)) && touches(target, DATABASE))
        // These files list each folder's endpoints, jobs and invariants.
        .filter((target) => !(source.path === 'src/routes.ts' && /(http|pages)\.ts$/.test(target)))
        .filter(() => !['src/jobs.ts', 'src/app.ts', 'src/invariants.ts'].includes(source.path))
        .map((target) => `${source.path} → ${target}`),
    );
    expect(trespassers).toEqual([]);
  });

  it('of decisions and arithmetic lead to no database, clock, network or file', () => {
    const names =
      /\/(status|pricing|decide|engine|schedule|split|graph|points|discount|match|calculate|allocation|money|address|evaluate|predicates|language)\.ts$/;
    const pure = product.filter(({ path }) => names.test(path)).map(({ path }) => path);
    expect(pure.length).toBeGreaterThan(10);
    expect(pure.filter((path) => touches(path, OUTSIDE))).toEqual([]);
  });

  it('pass no file that only hands others on', () => {
    const handsOn = /^(?:import|export)[^;]*?from '[^']*';|^export \*.*$/gm;
    const barrels = all.filter(
      ({ code }) => /^export [^;]*?from '/m.test(code) && code.replace(handsOn, '').trim() === '',
    );
    expect(barrels.map(({ path }) => path)).toEqual([]);
    expect(matches(all, /^export \*/)).toEqual([]);
    expect(all.filter(({ path }) => fileOf(path) === 'index.ts').map(({ path }) => path)).toEqual([]);
  });

  it('name own files with their ending, and exist', () => {
    const missing = all.flatMap(({ path, imports }) =>
      imports
        .filter((one) => one.target.startsWith('src/') && one.target.endsWith('.ts') && !byPath.has(one.target))
        .map((one) => `${path} → ${one.target}`),
    );
    expect(missing).toEqual([]);
  });

  /** Whether the code that the module runs, itself or through others, imports something of the kind. */
  function touches(path: string, kind: RegExp, seen = new Set<string>()): boolean {
    if (seen.has(path)) return false;
    seen.add(path);
    return valueImports(byPath.get(path)!).some(
      (target) => kind.test(target) || (byPath.has(target) && touches(target, kind, seen)),
    );
  }
});

describe('the outside', () => {
  it('is configured in one place: nothing else reads the environment', () => {
    expect(matches(except('src/config.ts'), /process\.env/)).toEqual([]);
  });

  it('gives the time in one place', () => {
    const clock = /Date\.now\(|new Date\(\)|performance\.now\(|Temporal\.Now|hrtime/;
    expect(matches(except('src/clock.ts'), clock)).toEqual([]);
  });
});

describe('files', () => {
  it('tell neither the types nor the linter to look away', () => {
    const lax = new RegExp(['@ts-', 'biome-'].map((word) => `${word}(ignore|expect-error|nocheck)`).join('|'));
    expect(matches(all, lax, 'text')).toEqual([]);
    expect(matches(all, /(?::|\bas|<|\|)\s*any\b(?!['`\w])|\bany\[\]/)).toEqual([]);
  });

  it('skip no test and single none out', () => {
    const tests = all.filter(({ path }) => path.endsWith('.test.ts'));
    expect(matches(tests, /\b(it|test|describe)\.(skip|todo|only|fails|skipIf|runIf)\b|\bx(it|describe)\(/)).toEqual(
      [],
    );
  });

  it('take their place on the disk with fileURLToPath: the path of an address has %20 for a space', () => {
    const own = ['admin', 'bench', 'client', 'docs', 'examples', 'packaging', 'release', 'src'].flatMap(filesUnder);
    const sources = own.filter((path) => /\.[jt]sx?$/.test(path)).map(readSource);
    expect(matches(sources, /import\.meta\.url\)\.(pathname|href)|import\.meta\.url\.(slice|replace)/)).toEqual([]);
  });

  it('name no place of one machine', () => {
    const places = new RegExp(
      ['work', 'home', 'Users', 'root'].map((name) => `(?<![\\w.:}/-])/${name}/[a-z]`).join('|'),
    );
    const texts = filesUnder('').filter((path) => /\.(ts|md|json|ya?ml|sql|sh)$|\.ci\/run$/.test(path));
    expect(texts.length).toBeGreaterThan(100);
    const found = texts.filter((path) => places.test(readText(path)));
    expect(found).toEqual([]);
  });

  it('of tests are matched by each pattern of the tiers', () => {
    const tests = filesUnder('').filter((path) => path.endsWith('.test.ts'));
    const idle = [...COMPLETE, ...TIMED].filter((pattern) => !tests.some((path) => matchesGlob(path, pattern)));
    expect(idle).toEqual([]);
  });

  it('of migrations are numbered one by one', () => {
    const names = filesUnder('src/db/migrations').map(fileOf).sort();
    expect(names.filter((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name))).toEqual([]);
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, i) => i + 1));
  });

  it('that lock the packages name no registry', () => {
    expect(readText('package-lock.json')).not.toMatch(/"resolved": "http/);
    expect(readText('.npmrc')).toContain('omit-lockfile-registry-resolved=true');
    expect(readText('package.json')).not.toMatch(/"[~^]\d/);
  });
});

describe('statements', () => {
  const statements = product.flatMap(({ path, code }) =>
    sqlTexts(code).map((statement) => ({ path, name: `${path}#${statement.within}`, ...statement })),
  );
  const namesTable = (text: string): boolean =>
    /\b(from|into|update)\s+[a-z_]+\b(?!\s*\()/.test(text.replace(/--.*/g, ''));
  const ofOneCompany = (text: string): boolean => /\$\{[^}]*compan[^}]*\}/i.test(text);
  /** Conditions that are composed elsewhere: they must name the company there. */
  const isCarried = ({ path, text }: (typeof statements)[number]): boolean =>
    /\bwhere \$\{/.test(text) &&
    statements.some((other) => other.path === path && !namesTable(other.text) && ofOneCompany(other.text));
  const reasonOf = (path: string, name: string): string | undefined => ACROSS_COMPANIES[name] ?? ACROSS_COMPANIES[path];

  it('are those of one company each, but for the few that say why not', () => {
    expect(statements.length).toBeGreaterThan(100);
    const open = statements.filter(
      (one) => namesTable(one.text) && !ofOneCompany(one.text) && !isCarried(one) && !reasonOf(one.path, one.name),
    );
    expect(open.map(({ name, text }) => `${name}: ${text.trim().replace(/\s+/g, ' ').slice(0, 100)}`)).toEqual([]);
  });

  it('choose rows up to a limit once: in a common table expression or an array, since a subquery may run again for each row', () => {
    const again = statements.filter(({ text }) => {
      for (const { index } of text.matchAll(/\b(?:from|in) \(\s*select\b/g)) {
        const inner = inParentheses(text.slice(text.indexOf('(', index)));
        if (/\blimit\b[^()]*\bfor (?:no key )?update\b/.test(inner)) return true;
      }
      return false;
    });
    expect(again.map(({ name }) => name)).toEqual([]);
  });

  it('that are excused exist', () => {
    const names = new Set(
      statements.filter((one) => !ofOneCompany(one.text) && !isCarried(one)).flatMap(({ name, path }) => [name, path]),
    );
    expect(Object.keys(ACROSS_COMPANIES).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('endpoints', () => {
  it('are each called by a test that names their method and address', () => {
    const tests = all.filter(({ path }) => path.endsWith('.test.ts')).map(({ text }) => text);
    const untested = [...commerceEndpoints, ...marketingEndpoints]
      .filter(({ method, path }) => !tests.some((text) => isCalledIn(text, method, path)))
      .map(({ method, path }) => `${method} ${path}`);
    expect(untested).toEqual([]);
  });

  /** `'GET', '/orders'` next to each other, or the path in a variable: `'GET', path`. */
  function isCalledIn(text: string, method: string, path: string): boolean {
    const address = addressOf(path);
    const together = new RegExp(`['"\`]${method}['"\`],\\s*(?:${address.source})`);
    return together.test(text) || (new RegExp(`'${method}',\\s*[a-z]\\w*[,)]`).test(text) && address.test(text));
  }

  /**
   * The path as tests write it: `'/orders/7/status'`, with `${order.id}` for the 7, after the API's prefix or with a
   * query; its last word may be appended elsewhere.
   */
  function addressOf(path: string): RegExp {
    const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const anything = '(?:\\$\\{(?:[^{}]|\\{[^}]*\\})*\\}|[^/\'"`?\\s])+';
    const [, before, last] = /^(.*\})(?:\/(\w+))$/.exec(path) ?? [];
    const whole = (text: string): string =>
      text
        .split(/\{\w+\}/)
        .map(literal)
        .join(anything);
    const start = '[\'"`](?:/commerce/v1|/marketing(?:/v1)?)?';
    const apart = last === undefined ? '' : `|${start}${whole(before!)}/?\\$\\{[^]*['"\`]/?${last}['"\`]`;
    return new RegExp(`${start}${whole(path)}[?'"\`$]${apart}`);
  }
});
