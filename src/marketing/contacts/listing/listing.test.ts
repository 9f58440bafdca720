import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestBody, type TestCompany, testServer } from '../../../testing/harness.ts';
import { recordStatements } from '../../../testing/statements.ts';
import { hasTrigram, pairsQuery, rareParts } from './conditions.ts';

const server = testServer();
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

async function list(query = '', company = shop): Promise<{ ids: number[]; body: TestBody }> {
  const { status, body } = await company.marketing('GET', `/contacts${query}`);
  expect(status).toBe(200);
  return { ids: body.contacts!.map((contact: TestBody) => Number(contact.contact_id)), body };
}

const found = async (search: string, company = shop): Promise<string[]> =>
  (await list(`?search=${encodeURIComponent(search)}`, company)).body.contacts!.map((contact: TestBody) =>
    String(contact.external_id),
  );

describe('GET /contacts', () => {
  test('lists newest first, 20 a page, 100 at most, with exact totals on every page', async () => {
    const company = await server.company();
    const contacts = Array.from({ length: 205 }, (_, i) => ({ external_id: `c${i}` }));
    await company.marketing('POST', '/contacts/batch', { contacts });
    const first = await list('', company);
    expect(first.ids).toHaveLength(20);
    expect(first.ids).toEqual(first.ids.toSorted((a, b) => b - a));
    expect(first.body.pagination).toEqual({ page: 1, per_page: 20, total: 205, total_pages: 11 });
    const capped = await list('?per_page=500&page=3', company);
    expect(capped.ids).toHaveLength(5);
    expect(capped.body.pagination).toEqual({ page: 3, per_page: 100, total: 205, total_pages: 3 });
    const past = await list('?page=99', company);
    expect(past.body).toMatchObject({ contacts: [], pagination: { total: 205, total_pages: 11 } });
    const seen = await Promise.all(Array.from({ length: 11 }, (_, i) => list(`?page=${i + 1}`, company)));
    expect(new Set(seen.flatMap(({ ids }) => ids)).size).toBe(205);
  });

  test('of an empty company is empty', async () => {
    expect((await list('', await server.company())).body).toEqual({
      contacts: [],
      pagination: { page: 1, per_page: 20, total: 0, total_pages: 0 },
    });
  });

  test.each(['?page=0', '?per_page=0', '?page=x', '?status=new', '?list_id=x', '?list_id=0', '?list_status=gone'])(
    'refuses %s with 400',
    async (query) => {
      expect((await shop.marketing('GET', `/contacts${query}`)).status).toBe(400);
    },
  );

  test('filters by status, list, tag and all of them, with exact totals', async () => {
    const company = await server.company();
    const [one, two] = await Promise.all(
      ['One', 'Two'].map(async (name) => Number((await company.marketing('POST', '/lists', { name })).body.list_id)),
    );
    const contacts = Array.from({ length: 60 }, (_, i) => ({
      external_id: `f${i}`,
      status: i % 5 === 0 ? 'unsubscribed' : i % 7 === 0 ? 'bounced' : 'subscribed',
      tags: i % 2 === 0 ? ['even'] : ['odd', 'it’s'],
      list_ids: [...(i % 3 === 0 ? [one!] : []), ...(i % 4 === 0 ? [two!] : [])],
    }));
    await company.marketing('POST', '/contacts/batch', { contacts });
    const totals = async (query: string): Promise<number> => {
      const { ids, body } = await list(`?per_page=100&${query}`, company);
      expect(ids).toHaveLength(body.pagination.total);
      return body.pagination.total;
    };
    const count = (test: (contact: (typeof contacts)[number]) => boolean): number => contacts.filter(test).length;
    for (const fold of [false, true]) {
      if (fold) await server.rows("select fold_deltas('counter')");
      for (const status of ['subscribed', 'unsubscribed', 'bounced']) {
        expect(await totals(`status=${status}`)).toBe(count((c) => c.status === status));
        expect(await totals(`status=${status}&list_id=${one}`)).toBe(
          count((c) => c.status === status && c.list_ids.includes(one!)),
        );
      }
      expect(await totals(`list_id=${two}`)).toBe(count((c) => c.list_ids.includes(two!)));
      expect(await totals('tag=even')).toBe(30);
      expect(await totals(`tag=${encodeURIComponent('it’s')}`)).toBe(30);
      expect(await totals('tag=eve')).toBe(0);
      expect(await totals(`tag=odd&list_id=${one}&status=subscribed`)).toBe(
        count((c) => c.tags.includes('odd') && c.list_ids.includes(one!) && c.status === 'subscribed'),
      );
      expect(await totals('search=f1&tag=even')).toBe(0);
    }
    expect(await totals('list_id=999999')).toBe(0);
  });

  test('list_id finds active and pending members; list_status selects one status', async () => {
    const id = Number((await shop.marketing('POST', '/lists', { name: 'L', double_opt_in: true })).body.list_id);
    const { contact_id } = (await shop.marketing('POST', '/contacts', { external_id: 'ls', list_ids: [id] })).body;
    const finds = async (query: string) => (await list(`?list_id=${id}${query}`)).ids;
    expect(await finds('')).toEqual([contact_id]);
    expect(await finds('&list_status=pending')).toEqual([contact_id]);
    expect(await finds('&list_status=active')).toEqual([]);
    await shop.marketing('POST', `/contacts/unsubscribe/${contact_id}`, { list_ids: [id] });
    expect(await finds('')).toEqual([]);
    expect(await finds('&list_status=unsubscribed')).toEqual([contact_id]);
  });

  test('segment_id finds the contacts of the segment, and combines with other filters', async () => {
    const company = await server.company();
    const contacts = Array.from({ length: 30 }, (_, i) => ({ email: `s${i}@example.com`, properties: { n: i } }));
    await company.marketing('POST', '/contacts/batch', { contacts });
    const conditions = { operator: 'and', rules: [{ field: 'properties.n', comparison: 'less_than', value: 25 }] };
    const { body } = await company.marketing('POST', '/segments', { name: 'Low', conditions });
    const total = async (query: string) => (await list(query, company)).body.pagination.total;
    expect(await total(`?segment_id=${body.segment_id}`)).toBe(25);
    expect(await total(`?segment_id=${body.segment_id}&search=s2`)).toBe(6);
    expect(await total(`?segment_id=${body.segment_id}&status=bounced`)).toBe(0);
    expect(await total('?segment_id=999999')).toBe(0);
    expect((await shop.marketing('GET', `/contacts?segment_id=${body.segment_id}`)).body.pagination.total).toBe(0);
  });

  test('the pages of a segment go from the newest contact to the oldest, whatever its rules', async () => {
    const company = await server.company();
    const contacts = Array.from({ length: 60 }, (_, i) => ({ email: `p${i}@example.com`, properties: { n: i } }));
    await company.marketing('POST', '/contacts/batch', { contacts });
    const events = contacts.flatMap(({ email }, i) =>
      i % 3 === 0 ? [{ event_type: 'order_placed', event_data: { email, order_id: `o${i}`, total: i } }] : [],
    );
    await company.marketing('POST', '/events/batch', { events });
    const pagesOf = async (rule: object): Promise<string[]> => {
      const { body } = await company.marketing('POST', '/segments', { name: 'Paged', conditions: { rules: [rule] } });
      const emails: string[] = [];
      for (let page = 1, pages = 1; page <= pages; page++) {
        const response = (await list(`?segment_id=${body.segment_id}&per_page=7&page=${page}`, company)).body;
        emails.push(...response.contacts!.map((contact: TestBody) => String(contact.email)));
        pages = response.pagination.total_pages;
      }
      const past = (await list(`?segment_id=${body.segment_id}&per_page=7&page=99`, company)).body;
      expect(past).toMatchObject({ contacts: [], pagination: { total: emails.length } });
      return emails;
    };
    const newest = (picks: (i: number) => boolean): string[] =>
      contacts
        .filter((_, i) => picks(i))
        .map(({ email }) => email)
        .reverse();
    const rule = { comparison: 'greater_than', value: 20 };
    expect(await pagesOf({ field: 'properties.n', ...rule })).toEqual(newest((i) => i > 20));
    expect(await pagesOf({ field: 'purchases.total', ...rule })).toEqual(newest((i) => i > 20 && i % 3 === 0));
    const never = { field: 'purchases.count', comparison: 'equals', value: 0 };
    expect(await pagesOf(never)).toEqual(newest((i) => i % 3 > 0));
    expect(await pagesOf({ ...never, value: 9 })).toEqual([]);
  });

  test("shows and counts only the company's own contacts, lists and tags", async () => {
    const [mine, other] = [await server.company(), await server.company()];
    const theirs = (await other.marketing('POST', '/lists', { name: 'Theirs' })).body.list_id;
    await other.marketing('POST', '/contacts', { email: 'theirs@example.com', tags: ['t'], list_ids: [theirs] });
    for (const query of ['', '?search=theirs', '?tag=t', `?list_id=${theirs}`, '?status=subscribed']) {
      expect((await list(query, mine)).body).toMatchObject({ contacts: [], pagination: { total: 0 } });
    }
  });
});

describe('search', () => {
  beforeAll(async () => {
    const contacts = [
      { external_id: 'renee', first_name: 'Renée', last_name: 'Großmann', email: 'r.g@example.com' },
      { external_id: 'percent', first_name: '100%', last_name: 'a_b\\c' },
      { external_id: 'obrien', first_name: "O'Brien", email: 'pat+tag@sub.example.org' },
      { external_id: 'ivan', first_name: 'Иван', last_name: 'Петров' },
      { external_id: 'nameless' },
    ];
    await shop.marketing('POST', '/contacts/batch', { contacts });
  });

  test.each([
    ['RENEE', ['renee']],
    ['renée', ['renee']],
    ['née gross', ['renee']],
    ['  renée   großmann ', ['renee']],
    ['mann', ['renee']],
    ['g@ex', ['renee']],
    ['mannr', []],
    ['mann r.g', []],
    ['%', ['percent']],
    ['_', ['percent']],
    ['\\', ['percent']],
    ['100% a', ['percent']],
    ["o'br", ['obrien']],
    ['+tag@sub', ['obrien']],
    ['иван пет', ['ivan']],
    ['ИВАН', ['ivan']],
    ['zz', []],
    ['q', []],
  ])('finds %s: %j', async (term, expected) => {
    expect(await found(term)).toEqual(expected);
  });

  test('a blank term filters nothing', async () => {
    expect((await list('?search=%20')).body.pagination.total).toBe((await list()).body.pagination.total);
  });

  test('follows changed names and addresses', async () => {
    const { contact_id: id } = (
      await shop.marketing('POST', '/contacts', { external_id: 'moved', first_name: 'Before' })
    ).body;
    expect(await found('before')).toEqual(['moved']);
    await shop.marketing('PATCH', `/contacts/${id}`, { first_name: 'After', email: 'after@example.net' });
    expect(await found('before')).toEqual([]);
    expect(await found('example.net')).toEqual(['moved']);
    expect(await found('after')).toEqual(['moved']);
  });
});

test('the letter pairs of a text contain each of its one- and two-letter terms', async () => {
  const letter = fc.constantFrom('a', 'b', ' ', "'", '"', '\\', '%', '&', ':', '*', '\n', 'é', 'ж', '𝒳');
  const text = fc.string({ unit: letter, minLength: 1, maxLength: 6 });
  const cases = fc.sample(fc.tuple(text, fc.string({ unit: letter, minLength: 1, maxLength: 2 })), 1_000);
  const rows = await server.rows<{ holds: boolean }>(
    `select search_pairs(t) @@ q::tsquery as holds
     from unnest($1::text[], $2::text[]) with ordinality as v (t, q, n) order by n`,
    [cases.map(([one]) => one), cases.map(([, term]) => pairsQuery([...term]))],
  );
  const holds = rows.map((row) => row.holds);
  expect(holds).toEqual(cases.map(([one, term]) => one.includes(term)));
  expect([...new Set(holds)]).toHaveLength(2);
});

describe('the parts of a term that are searched in the trigram index', () => {
  const letter = fc.constantFrom('a', 'b', 'c', '7', '-', '.', '@', ' ', 'é', '𝒳');

  test('are in every text with the term, and are few', () => {
    const term = fc.string({ unit: letter, minLength: 3, maxLength: 12 }).filter(hasTrigram);
    fc.assert(
      fc.property(term, fc.array(fc.string({ unit: letter, maxLength: 20 }), { maxLength: 40 }), (one, texts) => {
        const parts = rareParts(one, texts);
        expect(parts.every((part) => one.includes(part) && hasTrigram(part))).toBe(true);
        expect(parts.length).toBeGreaterThan(0);
        expect(parts.length).toBeLessThanOrEqual(4);
        // The parts must be as selective as the term, among the texts by which they were chosen.
        const found = texts.filter((text) => parts.every((part) => text.includes(part)));
        expect(found).toEqual(texts.filter((text) => text.includes(one)));
      }),
    );
  });

  test('are those that few other texts have', () => {
    const texts = Array.from({ length: 500 }, (_, i) => `ada b${i % 10}rg\n${i}@mail-${i % 97}.example`);
    expect(rareParts('@mail-7.example', texts)).toEqual(['-7.']);
    expect(rareParts('mail-7.example', [])).toHaveLength(4);
    expect(rareParts('ada', texts)).toEqual(['ada']);
    expect(rareParts('a b3rg', texts)).toEqual([' b3']);
  });
});

describe('search among more contacts than are scanned', () => {
  let big: TestCompany;
  const N = 60_000;

  beforeAll(async () => {
    big = await server.company();
    // A contact of another company, which is in the same indexes.
    await shop.marketing('POST', '/contacts', { email: 'theirs@example.com', last_name: "rare qz ж'\\~" });
    await server.rows(
      `insert into contacts (company_id, external_id, first_name, email_consent, tags, search, created_at, updated_at)
       select $1, 'b' || i, 'x', case when i % 4 = 2 then 'unsubscribed' else 'subscribed' end,
         case when i % 1000 = 0 then '{t}'::text[] else '{}' end,
         'common ' || case when i <= 3000 then 'oldonly ' else '' end || case when i % 30 = 0 then 'middle ' else '' end
           || case when i % 10000 = 0 then 'rare qz ж''\\~ ' else '' end || E'\\n' || i || '@example.com', now(), now()
       from generate_series(1, ${N}) i`,
      [big.company_id],
    );
    await server.rows('analyze contacts');
  });

  const page = async (search: string, query = '') => {
    const { ids, body } = await list(`?search=${search}${query}`, big);
    const names = body.contacts!.map((contact: TestBody) => Number(String(contact.external_id).slice(1)));
    return { ids, names, pagination: body.pagination };
  };
  const newest = (test: (i: number) => boolean, skip = 0): number[] =>
    Array.from({ length: N }, (_, i) => N - i)
      .filter(test)
      .slice(skip, skip + 20);

  test('a rare term is counted exactly, with trigrams or too short for them', async () => {
    for (const term of ['rare', 'qz', 'q', 'ж', "ж'", "'", '\\', '\\~', '~', "'\\~", "z ж'\\"]) {
      const { names, pagination } = await page(encodeURIComponent(term));
      expect(names).toEqual([60_000, 50_000, 40_000, 30_000, 20_000, 10_000]);
      expect(pagination).toEqual({ page: 1, per_page: 20, total: 6, total_pages: 1 });
    }
    expect((await page('nowhere')).pagination.total).toBe(0);
  });

  test.each([
    ['rare', 'contacts_search'],
    ['qz', 'contacts_search_pairs'],
    ['q', 'contacts_search_pairs'],
    ["'~", 'contacts_search_pairs'],
  ])('%s is found through an index', async (term, index) => {
    const statements = await recordStatements(() => page(encodeURIComponent(term)));
    const { text, values } = statements.find((one) => one.text.includes('select id from found limit'))!;
    const rows = await server.rows<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(new RegExp(`Bitmap Index Scan on ${index} `));
    expect(plan).not.toContain('Seq Scan');
  });

  test('a term with a tag and a status is found through one index', async () => {
    const statements = await recordStatements(() => page('rare', '&tag=t&status=subscribed'));
    const { text, values } = statements.find((one) => one.text.includes('select id from found limit'))!;
    const rows = await server.rows<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan.match(/Index Cond: .*/g)).toEqual([expect.stringMatching(/status = .*tags @> .*search ~~ /)]);
  });

  test('a common term is counted up to 1,000 with total_exact false; the page is correct', async () => {
    for (const [term, has] of [
      ['common', () => true],
      ['middle', (i: number) => i % 30 === 0],
      ['oldonly', (i: number) => i <= 3000],
    ] as const) {
      for (const number of [1, 3]) {
        const { names, pagination } = await page(term, `&page=${number}`);
        expect(names).toEqual(newest(has, (number - 1) * 20));
        expect(pagination).toEqual({ page: number, per_page: 20, total: 1_000, total_pages: 50, total_exact: false });
      }
    }
  });

  test('within a filter of up to 50,000 contacts every term is counted exactly', async () => {
    const has = { common: () => true, oldonly: (i: number) => i <= 3000, middle: (i: number) => i % 30 === 0 };
    for (const [term, test] of Object.entries(has)) {
      const expected = Array.from({ length: N }, (_, i) => N - i).filter((i) => i % 4 === 2 && test(i));
      const { names, pagination } = await page(term, '&status=unsubscribed&page=2');
      expect(names).toEqual(expected.slice(20, 40));
      expect(pagination).toMatchObject({ total: expected.length });
      expect(pagination).not.toHaveProperty('total_exact');
    }
  });

  test('the page of a segment is correct, among the newest or not', async () => {
    const oldest = await server.rows<{ id: number }>(
      'select id::int from contacts where company_id = $1 order by contacts.id limit 3000',
      [big.company_id],
    );
    const cases = [
      [{ field: 'tags', comparison: 'equals', value: 't' }, (i: number) => i % 1000 === 0],
      [{ field: 'purchases.count', comparison: 'equals', value: 0 }, () => true],
      [{ field: 'contact_id', comparison: 'less_than_or_equal', value: oldest.at(-1)!.id }, (i: number) => i <= 3000],
    ] as const;
    for (const [rule, has] of cases) {
      const { body } = await big.marketing('POST', '/segments', { name: 'Big', conditions: { rules: [rule] } });
      for (const number of [1, 3]) {
        const { names, pagination } = await page('', `&segment_id=${body.segment_id}&page=${number}`);
        expect(names).toEqual(newest(has, (number - 1) * 20));
        expect(pagination.total).toBe(Array.from({ length: N }, (_, i) => i + 1).filter(has).length);
      }
    }
  });

  test('paging reaches the last contact', async () => {
    const seen: number[] = [];
    for (let number = 1, pages = 1; number <= pages; number++) {
      const { names, pagination } = await page('middle', `&page=${number}&per_page=100`);
      seen.push(...names);
      pages = pagination.total_pages;
    }
    expect(seen).toEqual(Array.from({ length: N / 30 }, (_, i) => N - i * 30));
  });

  test('combines with other filters', async () => {
    const { names, pagination } = await page('middle', '&tag=t');
    expect(names).toEqual(newest((i) => i % 3000 === 0));
    expect(pagination.total).toBe(20);
  });
});
