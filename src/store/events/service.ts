import type { Caller } from '../../caller.ts';
import { type CartsService, holdBuyer } from '../../commerce/carts/service.ts';
import { findSignedIn } from '../../commerce/customers/accounts/service.ts';
import type { Product } from '../../commerce/products/contract.ts';
import type { ProductsService } from '../../commerce/products/service.ts';
import type { ShopCache } from '../../commerce/shop.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { found, notFound } from '../../errors.ts';
import type { ShopperTokens } from '../../http/api/shopper-tokens.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { enqueue } from '../../outbox/service.ts';
import type { Wake } from '../../work/worker-names.ts';
import type { StoreEventInput } from './contract.ts';

interface StoreEventsDeps {
  db: Db;
  shops: ShopCache;
  carts: Pick<CartsService, 'findByToken'>;
  products: Pick<ProductsService, 'getProduct'>;
  wake: Wake;
}

interface Asked {
  caller: Caller;
  tokens: ShopperTokens;
}

/** A cart, or a customer alone. */
interface Visitor {
  id: number;
  customer_id: number | null;
}

export type StoreEventsService = ReturnType<typeof createStoreEventsService>;

/** What visitors of a shop do beside their carts and orders. */
export function createStoreEventsService({ db: { visitors: db }, shops, carts, products, wake }: StoreEventsDeps) {
  /** Returns the cart or the customer of the tokens; null without an address. Throws missing_session, not_found for a cart. */
  async function visitorOf({ caller, tokens }: Asked): Promise<Visitor | null> {
    const { companyId } = caller;
    if (tokens.customer !== null) {
      const { customerId } = await findSignedIn(db, caller, tokens.customer);
      return { id: 0, customer_id: customerId };
    }
    if (tokens.cart === null) return null;
    const cart = found(await carts.findByToken(companyId, tokens.cart), 'cart');
    return cart.customer_id === null && cart.email === null ? null : cart;
  }

  return {
    /** Throws not_found for a product that visitors do not see, and for a cart; missing_session. */
    async createEvent(
      asked: Asked,
      { event_type: topic, product_id }: StoreEventInput,
    ): Promise<{ recorded: boolean }> {
      const { caller } = asked;
      const { companyId, now } = caller;
      const [visitor, shop, { text }] = await Promise.all([
        visitorOf(asked),
        shops.get(companyId),
        products.getProduct(companyId, String(product_id)),
      ]);
      const product: Product = JSON.parse(text);
      if (!product.active) throw notFound('product');
      if (visitor === null) return { recorded: false };
      const image = product.images.find(({ is_primary }) => is_primary) ?? product.images[0];
      const viewed = {
        product_id: String(product_id),
        product_name: product.name,
        parent_id: product.variant_of === null ? null : String(product.variant_of),
        price: product.price,
        currency: shop.currency,
        image: image?.url ?? null,
      };
      const recorded = await write(db, caller, async (tx) => {
        const buyer = await holdBuyer(tx, companyId, visitor);
        if (buyer === null) return { recorded: false };
        const { customerId, ...known } = buyer;
        const payload = { ...known, ...(customerId !== null && { customer_id: String(customerId) }), ...viewed };
        await enqueue(tx, companyId, [{ topic, payload, occurredAt: now }], correlationOf(caller));
        return { recorded: true };
      });
      wake('outbox');
      return recorded;
    },
  };
}
