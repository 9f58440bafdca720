import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as doc from '../../../admin/src/pages/templates/editor/document.ts';

const block = (id: string, columns?: string[][]): doc.Block => ({
  id,
  type: columns === undefined ? 'text' : 'columns',
  ...(columns === undefined ? {} : { columns: columns.map((ids) => ({ blocks: ids.map((one) => block(one)) })) }),
});
const design = (): doc.Design => ({ style: {}, blocks: [block('a'), block('c', [['x', 'y'], []]), block('b')] });
const idsOf = ({ blocks }: { blocks: doc.Block[] }): string =>
  blocks
    .map(({ id, columns }) => (columns === undefined ? id : `${id}(${columns.map((one) => idsOf(one)).join('|')})`))
    .join(' ');
const column = (n: number) => ({ id: 'c', column: n });

describe('the document of the e-mail editor', () => {
  test.each([
    ['a', { inside: null, index: 2 }, 'c(x y|) a b'],
    ['b', { inside: null, index: 0 }, 'b a c(x y|)'],
    ['a', { inside: null, index: 1 }, 'a c(x y|) b'],
    ['x', { inside: null, index: 3 }, 'a c(y|) b x'],
    ['x', { inside: column(0), index: 2 }, 'a c(y x|) b'],
    ['y', { inside: column(1), index: 0 }, 'a c(x|y) b'],
    ['a', { inside: column(1), index: 0 }, 'c(x y|a) b'],
    ['c', { inside: column(1), index: 0 }, 'a c(x y|) b'],
    ['missing', { inside: null, index: 0 }, 'a c(x y|) b'],
  ] as const)('moves %s to %j', (id, to, expected) => {
    expect(idsOf(doc.moved(design(), id, to))).toBe(expected);
  });

  test('shifts by one place and stays at the ends', () => {
    expect(idsOf(doc.shifted(design(), 'a', 1))).toBe('c(x y|) a b');
    expect(idsOf(doc.shifted(design(), 'b', -1))).toBe('a b c(x y|)');
    expect(idsOf(doc.shifted(design(), 'a', -1))).toBe('a c(x y|) b');
    expect(idsOf(doc.shifted(design(), 'y', 1))).toBe('a c(x y|) b');
  });

  test('removes, inserts and duplicates without two blocks of one id', () => {
    expect(idsOf(doc.removed(design(), 'x'))).toBe('a c(y|) b');
    expect(idsOf(doc.inserted(design(), block('n'), { inside: column(1), index: 0 }))).toBe('a c(x y|n) b');
    const copied = doc.duplicated(design(), 'c').design;
    const ids = copied.blocks.flatMap(({ id, columns = [] }) => [
      id,
      ...columns.flatMap((one) => one.blocks.map((b) => b.id)),
    ]);
    expect(ids).toHaveLength(8);
    expect(new Set(ids).size).toBe(8);
    expect(
      doc
        .withIds({ blocks: [{ type: 'text', id: 'a' }, { type: 'text', id: 'a' }, { type: 'text' }] })
        .blocks.map(({ id }) => id),
    ).toEqual(['a', expect.stringMatching(/^[a-z0-9]{1,20}$/), expect.stringMatching(/^[a-z0-9]{1,20}$/)]);
  });

  test('loses no block in any row of moves', () => {
    const place = fc.record({ inside: fc.constantFrom(null, column(0), column(1)), index: fc.nat(4) });
    const move = fc.tuple(fc.constantFrom('a', 'b', 'c', 'x', 'y'), place);
    fc.assert(
      fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
        const after = moves.reduce((now, [id, to]) => doc.moved(now, id, to), design());
        expect(idsOf(after).match(/[a-z]/g)?.sort().join('')).toBe('abcxy');
      }),
    );
  });
});
