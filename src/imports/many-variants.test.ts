import { expect, test } from 'vitest';
import { checkInvariants } from '../invariants.ts';
import { testServer } from '../testing/harness.ts';
import { TestImports } from './testing/imports.ts';

/** A higher value of IMPORT_VARIANTS tests the same at length. */
const VARIANTS = Number(process.env.IMPORT_VARIANTS ?? 1_200);
const PER_PARENT = 12;
const PARENTS = VARIANTS / PER_PARENT;

const server = testServer();

const SHOPIFY =
  'Handle,Title,Type,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Price,Variant Inventory Tracker,Variant Inventory Qty,Status';
const WOO =
  'ID,Type,SKU,Name,Published,Stock,Regular price,Categories,Parent,Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s)';

function shopifyRows(): string[] {
  return Array.from({ length: VARIANTS }, (_, i) => {
    const [parent, n] = [Math.floor(i / PER_PARENT), i % PER_PARENT];
    const first = n === 0 ? `Shirt ${parent},Shirts,Size` : ',,';
    // Every tenth variant has no SKU.
    return `shirt-${parent},${first},${n % 4},${n === 0 ? 'Colour' : ''},${Math.floor(n / 4)},${i % 10 === 0 ? '' : `S-${i}`},5.00,shopify,3,active`;
  });
}

/** The variations of one product are as far from each other as the file allows, and their products are at its end. */
function wooRows(): string[] {
  const variations = Array.from({ length: VARIANTS }, (_, i) => {
    const [parent, n] = [i % PARENTS, Math.floor(i / PARENTS)];
    return `${PARENTS + i + 1},variation,W-${i},,1,3,5.00,,id:${parent + 1},Size,${n % 4},Colour,${Math.floor(n / 4)}`;
  });
  const products = Array.from(
    { length: PARENTS },
    (_, i) => `${i + 1},variable,,Coat ${i},1,,,Coats,,Size,"0, 1",Colour,"0, 1"`,
  );
  return [...variations, ...products];
}

test.each([
  ['shopify-products', SHOPIFY, shopifyRows],
  ['woocommerce-products', WOO, wooRows],
] as const)(
  `${VARIANTS} variants of %s, imported twice, change nothing the second time`,
  { timeout: 1_200_000 },
  async (format, header, rows) => {
    const shop = await server.company();
    const imports = new TestImports(server, shop);
    const file = [header, ...rows()].join('\n');
    const done = await imports.import(format, file);
    expect(done).toMatchObject({ created: VARIANTS, updated: 0, refused: 0 });
    const { body } = await shop.commerce('GET', '/products');
    expect(body.meta.pagination.total).toBe(PARENTS);
    for (const one of body.data) expect(one).toMatchObject({ variant_count: PER_PARENT, stock_qty: 3 * PER_PARENT });
    const state =
      'select id, name, slug, sku, options, position, price, revision, updated_at from products where company_id = $1 order by id';
    const before = await server.rows(state, [shop.company_id]);
    expect(await imports.import(format, file)).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: VARIANTS,
      refused: 0,
    });
    expect(await server.rows(state, [shop.company_id])).toEqual(before);
    const findings = await checkInvariants(server.app.db);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  },
);
