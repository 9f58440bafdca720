import { expect, test } from 'vitest';
import { FAMILY, Kin, MISSING, OF } from './inheritance.ts';
import { woocommerceProducts } from './woocommerce-products.ts';

const product = (n: number) => ({
  type: 'variable',
  sku: `P-${n}`,
  id: `${n}`,
  name: `Product ${n % 2}`,
  categories: `Category ${n}`,
});
const variation = (parent: string) => ({ type: 'variation', sku: `V-${parent}`, parent });

test('the memory of products is bounded, and a variation beyond the bound differs from one without a parent', () => {
  const kin = new Kin(woocommerceProducts.inheritance!, false);
  for (let n = 0; n < 100_000; n++) kin.add(product(n));
  expect(kin.complete(variation('P-0'))).toEqual({ ...variation('P-0'), categories: 'Category 0' });
  expect(kin.complete(variation('id:40000'))).toMatchObject({ categories: 'Category 40000' });
  expect(kin.complete(variation('P-99999'))).toEqual({ ...variation('P-99999'), [MISSING]: 'P-99999' });
});

test('variations are told which product they belong to, wherever its row is', () => {
  const kin = new Kin(woocommerceProducts.inheritance!, true);
  for (const row of [variation('id:3'), product(1), variation('P-1'), product(3)]) kin.add(row);
  const first = kin.complete(variation('id:3'));
  expect(first).toMatchObject({ [FAMILY]: 'P-3', [`${OF}name`]: 'Product 1' });
  expect(kin.complete(variation('P-1'))).toMatchObject({ [FAMILY]: 'P-1' });
});

test('a description is kept from its product to the last variation only, or from the beginning if a variation comes first', () => {
  const kin = new Kin(woocommerceProducts.inheritance!, true);
  const long = 'A'.repeat(20_000);
  const rows = Array.from({ length: 4_000 }, (_, n) => [
    { ...product(n), description: `${n} ${long}` },
    variation(`P-${n}`),
    variation(`id:${n}`),
  ]).flat();
  const late = [variation('P-5000'), { ...product(5000), description: 'Late' }];
  for (const row of [...rows, ...late]) kin.add(row);
  const described = rows.flatMap((row) => {
    const made = kin.complete(row);
    return row.type === 'variation' ? [made[`${OF}description`]] : [];
  });
  expect(described).toHaveLength(8_000);
  expect(described.every((text, i) => text === `${Math.floor(i / 2)} ${long}`)).toBe(true);
  expect(late.map((row) => kin.complete(row))[0]).toMatchObject({ [`${OF}description`]: 'Late' });
});

test('of products that share a reference, each keeps its own description', () => {
  const kin = new Kin(woocommerceProducts.inheritance!, true);
  const rows = [
    { ...product(1), sku: 'P', description: 'First' },
    { ...product(2), sku: 'P', description: 'Second' },
    { ...product(2), sku: 'Q', description: 'Third' },
    { type: 'variable', sku: 'R', id: '4', name: 'Fourth' },
    { ...product(5), sku: 'R', description: 'Fifth' },
    ...['id:1', 'id:2', 'Q', 'id:4', 'id:5'].map(variation),
  ];
  for (const row of rows) kin.add(row);
  const made = rows.map((row) => kin.complete(row)).slice(5);
  expect(made.map((row) => row[`${OF}description`])).toEqual(['First', 'Second', 'Third', undefined, 'Fifth']);
});

test('variations whose products have more descriptions at once than fit are refused, not imported without them', () => {
  const kin = new Kin(woocommerceProducts.inheritance!, true);
  const products = Array.from({ length: 40 }, (_, n) => ({ ...product(n), description: 'A'.repeat(1_000_000) }));
  const variations = products.map(({ sku }) => variation(sku));
  for (const row of [...products, ...variations]) kin.add(row);
  for (const row of products) kin.complete(row);
  const made = variations.map((row) => kin.complete(row));
  const whole = made.filter((row) => row[`${OF}description`] !== undefined);
  expect(whole.length).toBeGreaterThan(25);
  expect(made.filter((row) => row[MISSING] !== undefined)).toHaveLength(40 - whole.length);
});
