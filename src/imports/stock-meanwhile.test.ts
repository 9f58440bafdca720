import { expect, test, vi } from 'vitest';
import { moveStock } from '../commerce/inventory/stock.ts';
import { shopWithLocations } from '../commerce/inventory/testing-shop.ts';
import { sql } from '../db/sql.ts';
import { checkInvariants } from '../invariants.ts';
import { testServer } from '../testing/harness.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer();

test('an import that waits for a receipt at another online location counts what arrived there', async () => {
  const { shop, store, product, stockOf } = await shopWithLocations(server);
  const id = await product({ main: 5 });
  await shop.commerce('PATCH', `/products/${id}`, { sku: 'TEA' });
  const imports = new TestImports(server, shop);
  const file = await imports.upload('csv-products', 'name,sku,price,stock\nTea,TEA,10,2\n');
  await imports.check(file);
  const running = await server.app.db.tx(async (tx) => {
    await tx.query(sql`
      select from product_stock where company_id = ${shop.company_id} and product_id = ${id} for update`);
    const move = { productId: id, locationId: store, kind: 'receipt', referenceId: null, delta: 7 } as const;
    await moveStock(tx, shop.company_id, [{ ...move, actor: 'test', at: server.clock.now() }]);
    const done = imports.run(file);
    await vi.waitFor(async () => expect(await server.lockWaits('transactionid', 'tuple')).toBeGreaterThan(0), 10_000);
    return { done };
  });
  expect(await running.done).toMatchObject({ status: 'done', updated: 1, refused: 0 });
  expect(await stockOf(id)).toEqual([7, 7, 0]);
  expect((await checkInvariants(server.app.db)).filter(({ ok }) => !ok)).toEqual([]);
});
