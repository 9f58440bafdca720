import { sql } from '../../db/sql.ts';
import type { TestCompany, TestResponse, TestServer } from '../../testing/harness.ts';
import { moveStock } from './stock.ts';

const ADDRESS = { shipping_address: '1 Main St', shipping_city: 'Springfield', shipping_zip: '12345' };

/** A shop with a store that is online, a quarantine that is not, and a customer. */
export async function shopWithLocations(server: TestServer) {
  const shop = await server.company();
  const make = async (path: string, body: object) => (await shop.commerce('POST', path, body)).body.data;
  const main: number = (await shop.commerce('GET', '/locations')).body.data[0].id;
  const store: number = (await make('/locations', { name: 'Store' })).id;
  const quarantine: number = (await make('/locations', { name: 'Quarantine', online: false })).id;
  const customer: number = (await make('/customers', { email: 'buyer@example.com' })).id;

  /** Creates a product with the stock at each location, and returns its id. */
  async function product(at: { main?: number; store?: number; quarantine?: number }): Promise<number> {
    const { id } = await make('/products', { name: 'Tea', price: 10, stock_qty: at.main ?? 0 });
    await put(id, store, at.store ?? 0);
    await put(id, quarantine, at.quarantine ?? 0);
    return id;
  }

  async function put(productId: number, locationId: number, delta: number): Promise<void> {
    if (delta === 0) return;
    const move = { productId, locationId, kind: 'adjust', referenceId: null, delta, actor: 'test' } as const;
    await server.app.db.tx(async (tx) => {
      await tx.query(
        sql`select from product_stock where company_id = ${shop.company_id} and product_id = ${productId} for update`,
      );
      await moveStock(tx, shop.company_id, [{ ...move, at: server.clock.now() }]);
    });
  }

  function order(items: [number, number][], more: object = {}): Promise<TestResponse> {
    const lines = items.map(([product_id, qty]) => ({ product_id, qty }));
    return shop.commerce('POST', '/orders', { customer_id: customer, items: lines, ...ADDRESS, ...more });
  }

  const transfer = await make('/payment-methods', { kind: 'bank_transfer', name: 'Transfer' });

  /** Begins to pay a new cart by bank transfer, which reserves its lines. */
  async function pay(items: [number, number][], more: object = {}): Promise<TestResponse & { cart: number }> {
    const lines = items.map(([product_id, qty]) => ({ product_id, qty }));
    const { id } = await make('/carts', { customer_id: customer, ...ADDRESS, ...more });
    // Written past the check of the stock: others may take it until the cart is paid.
    await server.rows('update carts set lines = $2::jsonb, last_line_id = $3 where id = $1', [
      id,
      JSON.stringify(
        lines.map((line, i) => ({ ...line, id: i + 1, added_price: 10, price_override: null, override_reason: null })),
      ),
      lines.length,
    ]);
    return { ...(await shop.commerce('POST', `/carts/${id}/pay`, { method_id: transfer.id })), cart: id };
  }

  /** The same; returns the cart. */
  async function reserved(items: [number, number][], more: object = {}): Promise<number> {
    const { status, cart } = await pay(items, more);
    if (status !== 200) throw new Error(`not reserved: ${status}`);
    return cart;
  }

  const release = (cart: number): Promise<TestResponse> => shop.commerce('POST', `/carts/${cart}/reopen`);

  /** `stock_qty`, and the stock at the store and in quarantine. */
  async function stockOf(productId: number): Promise<[number, number, number]> {
    const { stock_qty } = (await shop.commerce('GET', `/products/${productId}/inventory`)).body.data;
    const levels = await server.rows<{ location_id: string; available: number }>(
      'select location_id, available from stock_levels where company_id = $1 and product_id = $2',
      [shop.company_id, productId],
    );
    const at = (id: number): number => levels.find(({ location_id }) => Number(location_id) === id)?.available ?? 0;
    return [stock_qty, at(store), at(quarantine)];
  }

  return { shop, main, store, quarantine, customer, product, order, pay, reserved, release, stockOf, make };
}

export type ShopWithLocations = Awaited<ReturnType<typeof shopWithLocations>> & { shop: TestCompany };
