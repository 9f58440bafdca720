import { expect, test } from 'vitest';
import { inheritor, MISSING } from './inheritance.ts';
import { woocommerceProducts } from './woocommerce-products.ts';

const product = (n: number) => ({ type: 'variable', sku: `P-${n}`, id: `${n}`, categories: `Category ${n}` });
const variation = (parent: string) => ({ type: 'variation', sku: `V-${parent}`, parent });

test('what is kept of products is bounded, and a variation of one beyond the bound is told from one that has nothing', () => {
  const complete = inheritor(woocommerceProducts.inheritance!);
  for (let n = 0; n < 100_000; n++) complete(product(n));
  expect(complete(variation('P-0'))).toEqual({ ...variation('P-0'), categories: 'Category 0' });
  expect(complete(variation('id:40000'))).toMatchObject({ categories: 'Category 40000' });
  expect(complete(variation('P-99999'))).toEqual({ ...variation('P-99999'), [MISSING]: 'P-99999' });
});
