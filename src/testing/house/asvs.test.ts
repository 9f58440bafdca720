import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { ASVS } from './asvs.ts';
import { filesUnder, readText } from './sources.ts';

const PAGE = 'docs/security-asvs.md';
const text = readText(PAGE);
const existing = new Set(filesUnder(''));

interface Row {
  id: string;
  level: string;
  requirement: string;
  /** Pieces of the last column: tests, documents, reasons, notes. */
  how: string[];
}

/** The rows of all tables of the page. No cell holds a `|`. */
const rows: Row[] = [...text.matchAll(/^\| (V\d+\.\d+\.\d+) \| (\S+) \| ([^|]*) \| ([^|]*) \|$/gm)].map(
  ([, id, level, requirement, how]) => ({
    id: id!,
    level: level!,
    requirement: requirement!.trim(),
    how: how!.trim().split('<br>'),
  }),
);

const stateOf = ({ how }: Row): string => /^(not applicable|not met): /.exec(how[0]!)?.[1] ?? 'met';
const citedIn = (row: Row): string[] => row.how.filter((piece) => piece.startsWith('`'));

/** Titles of the tests of a file: the first argument of `it(…)`, `test(…)`, `it.each(…)(…)`. */
function titlesOf(source: string): Set<string> {
  const calls = /(?:\b(?:it|test)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1\s*,/g;
  return new Set([...source.matchAll(calls)].map(([, , title]) => title!.replace(/\\(['"`])/g, '$1')));
}

/** Returns what is wrong with one part of the last column, or null. */
function faultOf(piece: string, read: (path: string) => string = readText): string | null {
  const [, path, title] = /^`([^`]+\.test\.ts)` › (.+)$/.exec(piece) ?? [];
  if (path !== undefined) {
    if (!existing.has(path)) return `there is no ${path}`;
    return titlesOf(read(path)).has(title!) ? null : `${path} has no test «${title}»`;
  }
  const [, link] = /^documented: \[[^\]]+\]\(([^)]+)\)$/.exec(piece) ?? [];
  if (link !== undefined) {
    const [file, anchor] = link.split('#');
    const target = join(dirname(PAGE), file!);
    if (!existing.has(target)) return `there is no ${target}`;
    return anchor !== undefined && anchorsOf(read(target)).has(anchor) ? null : `${target} has no heading #${anchor}`;
  }
  const [, reason] = /^(?:not applicable|not met|note): (.+)$/.exec(piece) ?? [];
  if (reason === undefined) return 'neither a test, nor a document, nor a reason';
  return reason.length >= 25 ? null : 'a reason that says too little';
}

function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((one) =>
      one
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replace(/\s/g, '-'),
    ),
  );
}

describe('the table of security requirements', () => {
  it('knows the 70 requirements of level 1 and the 183 of level 2', () => {
    const levels = [...ASVS.values()];
    expect([levels.filter((level) => level === 1).length, levels.filter((level) => level === 2).length]).toEqual([
      70, 183,
    ]);
  });

  it('has each requirement once, in order, with its level and a few words', () => {
    const inOrder = [...ASVS.keys()].sort((a, b) => {
      const [x, y] = [a, b].map((id) => id.slice(1).split('.').map(Number));
      return x![0]! - y![0]! || x![1]! - y![1]! || x![2]! - y![2]!;
    });
    expect(rows.map(({ id }) => id)).toEqual(inOrder);
    expect(rows.filter(({ id, level }) => String(ASVS.get(id)) !== level)).toEqual([]);
    expect(rows.filter(({ requirement }) => requirement.length < 8 || requirement.length > 130)).toEqual([]);
    expect([...text.matchAll(/^\| V/gm)]).toHaveLength(rows.length);
  });

  it('cites tests, headings and files that exist, and gives reasons', () => {
    const faults = rows.flatMap(({ id, how }) =>
      how.flatMap((piece) => {
        const fault = faultOf(piece);
        return fault === null ? [] : [`${id}: ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  it('calls nothing met without a test or a document', () => {
    const bare = rows.filter((row) => stateOf(row) === 'met' && row.how.every((piece) => piece.startsWith('note: ')));
    expect(bare.map(({ id }) => id)).toEqual([]);
    expect(rows.flatMap(citedIn).length).toBeGreaterThan(100);
  });

  it('says how many requirements are met, do not apply and are not met', () => {
    const count = (state: string): number => rows.filter((row) => stateOf(row) === state).length;
    const sentence = `Of the ${rows.length} requirements ${count('met')} are met, ${count('not applicable')} do not apply and ${count('not met')} are not met.`;
    expect(text).toContain(sentence);
    expect(readText('docs/security.md')).toContain(sentence);
  });

  it('would not pass with a test renamed, a file gone, a heading changed or a reason left out', () => {
    const cited = rows.flatMap(citedIn)[0]!;
    const [, path, title] = /^`([^`]+)` › (.+)$/.exec(cited)!;
    expect(faultOf(cited)).toBeNull();
    expect(faultOf(cited, () => readText(path!).replaceAll(title!, `${title} now`))).toContain('has no test');
    expect(faultOf(cited.replace('.test.ts', '-gone.test.ts'))).toContain('there is no');
    expect(faultOf('documented: [rate limits](security.md#rate-limits)')).toBeNull();
    expect(faultOf('documented: [rate limits](security.md#no-such)')).toContain('no heading');
    expect(faultOf('not met: later')).toContain('too little');
    expect(faultOf('it is fine')).toContain('neither');
  });
});
