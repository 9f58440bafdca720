import { describe, expect, it } from 'vitest';
import { filesUnder, readText } from './sources.ts';

/** Generated from the contracts: the types of both clients. */
const GENERATED = /^(admin\/src\/api\/schema\.ts$|client\/src\/generated\/)/;
const sources = ['src', 'bench', 'release', 'packaging', 'admin', 'client', 'docs', 'examples']
  .flatMap((folder) => filesUnder(folder))
  .filter((path) => /\.tsx?$/.test(path) && !GENERATED.test(path));
const files = sources
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, lines: readText(path).trimEnd().split('\n').length }));

describe('source files', () => {
  it('have at most 450 lines', () => {
    expect(files.filter(({ lines }) => lines > 450)).toEqual([]);
  });
});

describe('words', () => {
  /** Words that this tree used in senses of its own, with the term to use. */
  const TERMS: Record<string, string> = {
    deed: 'action or write',
    mend: 'fix',
    doubt: 'unknown outcome, or expired lease',
    answer: 'response, reply or result',
  };
  /** Where a word stays, and why. */
  const ALLOWED: Record<string, string> = {
    'src/access/invariants.ts answer': 'the id of a check, as doctor prints it',
    'src/commerce/invariants.test.ts answer': 'the same id',
    'src/marketing/flows/engine/run.ts answer': 'a field of stored signals',
    'src/marketing/flows/engine/engine.ts answer': 'the same field',
    'src/marketing/flows/engine/engine.test.ts answer': 'the same field',
    'src/marketing/flows/engine/engine-properties.test.ts answer': 'the same field',
    'src/marketing/flows/execution/webhooks/worker.ts answer': 'the same field',
    'src/marketing/flows/trial/trial.ts answer': 'the same field',
  };

  it('of this tree alone stand in no source, test or document', () => {
    const documents = filesUnder('').filter((path) => /^(docs\/.*|[^/]*)\.md$/.test(path));
    expect(documents.length).toBeGreaterThan(40);
    const found = [...sources, ...documents]
      .filter((path) => path !== 'src/testing/house/tree.test.ts')
      .flatMap((path) => {
        const words = new Set(wordsOf(readText(path)));
        const used = Object.keys(TERMS).filter((term) =>
          ['', 's', 'ed', 'ing'].some((ending) => words.has(term + ending)),
        );
        return used
          .filter((term) => ALLOWED[`${path} ${term}`] === undefined)
          .map((term) => `${path}: ${term} (${TERMS[term]})`);
      });
    expect(found).toEqual([]);
  });

  /** Returns the words of a text in lower case; identifiers are split into their words. */
  function wordsOf(text: string): string[] {
    return text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)?.map((word) => word.toLowerCase()) ?? [];
  }
});
