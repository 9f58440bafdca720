import { expect, test } from 'vitest';
import { firstFit } from '../../../admin/src/pages/address.ts';
import { routesOfPages } from '../browser/every-page.ts';

const rows = routesOfPages().map((path) => [path] as const);

test('each page is the first that fits its address', () => {
  const found = rows.map(([path]) => firstFit(rows, path.replaceAll(/\$\w+/g, '7'))?.[0]);
  expect(found).toEqual(rows.map(([path]) => path));
});

test.each(['', 'nothing', 'products/7/nothing', 'products/'.repeat(9)])('no page has the address “%s”', (address) => {
  expect(firstFit(rows, address)).toBeUndefined();
});
