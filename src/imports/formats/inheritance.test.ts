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
