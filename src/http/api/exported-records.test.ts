import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Listing, recordsOf, type Shown } from './exports.ts';

/** A list with these records, evaluated on each request. */
function listOf(records: () => Shown[]): Listing {
  return {
    async page({ skip = 0, per_page, before, cursor }) {
      const all = records();
      const start = before ?? cursor;
      const from = start === undefined ? Number(skip) : all.findIndex(({ id }) => (id as number) < Number(start));
      const shown = from === -1 ? [] : all.slice(from, from + Number(per_page));
      return { records: shown, next: from !== -1 && from + Number(per_page) < all.length ? shown.at(-1)!.id : null };
    },
    async behind(place, limit) {
      const shown = records()
        .toReversed()
        .filter(({ id }) => (id as number) > Number(place))
        .slice(0, limit);
      return { records: shown, next: shown.length < limit ? null : String(shown.at(-1)!.id) };
    },
  };
}

const whole = async (pages: AsyncIterable<Shown[]>): Promise<unknown[]> => {
  const ids: unknown[] = [];
  for await (const page of pages) ids.push(...page.map(({ id }) => id));
  return ids;
};

test.each([
  { by: 'id' },
  { by: 'place', id: 'id' },
  { by: 'place', id: null },
  { before: 'id' },
  { cursor: 'events' },
] as const)('gives all records of a list in order of %j', async (order) => {
  for (const n of [0, 1, 99, 100, 101, 199, 200, 1_000]) {
    const records = Array.from({ length: n }, (_, i) => ({ id: n - i, place: Math.floor((n - i) / 7) }));
    expect(
      await whole(
        recordsOf(
          listOf(() => records),
          order,
        ),
      ),
    ).toEqual(records.map(({ id }) => id));
  }
});

test('gives all records behind one another', async () => {
  const records = Array.from({ length: 250 }, (_, i) => ({ id: 250 - i }));
  expect(
    await whole(
      recordsOf(
        listOf(() => records),
        { behind: true },
      ),
    ),
  ).toEqual(records.map(({ id }) => id).toReversed());
});

test('a record that stays comes once, whatever comes and goes between the pages', async () => {
  const change = fc.record({
    /** Number of new records at the front. */
    come: fc.integer({ min: 0, max: 250 }),
    /** Percentage of old records that are removed, and where. */
    go: fc.integer({ min: 0, max: 100 }),
    from: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('id', 'place', 'asc'),
      fc.array(change, { maxLength: 12 }),
      async (by, changes) => {
        const asc = by === 'asc';
        const field = by === 'place' ? 'place' : 'id';
        let highest = 700;
        const record = (id: number): Shown => ({ id, place: Math.floor(id / 40) });
        let records = Array.from({ length: highest }, (_, i) => record(i + 1));
        const left = [...changes];
        const list = listOf(() => (asc ? records : records.toReversed()));
        const page = list.page.bind(list);
        list.page = async (query) => {
          const shown = await page(query);
          const next = left.shift();
          if (next !== undefined) {
            const start = Math.floor(next.from * records.length);
            records.splice(start, Math.floor(((records.length - start) * next.go) / 100));
            for (let n = 0; n < next.come; n++) records.push(record(++highest));
          }
          return shown;
        };
        const before = new Set(records.map(({ id }) => id));
        const got = await whole(recordsOf(list, asc ? { by: 'id', direction: 'asc' } : { by: field, id: 'id' }));
        expect(new Set(got).size).toBe(got.length);
        const stayed = records.map(({ id }) => id).filter((id) => before.has(id));
        expect(stayed.filter((id) => !got.includes(id))).toEqual([]);
        records = [];
      },
    ),
    { numRuns: 300 },
  );
});
