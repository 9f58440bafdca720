import { createBatcher } from '../../db/batching/batcher.ts';
import type { Db } from '../../db/pool.ts';
import { found } from '../../errors.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import { minorPerMajor } from '../money.ts';
import type { Shop } from '../shop.ts';
import { findProductJson, findProductsJson } from './json-queries.ts';
import { parseRef } from './slug.ts';

/** Reads single products, the most frequent request of shops. */
export interface ProductReader {
  /** Returns the product as JSON, by id or slug. Throws not_found. */
  get(shop: Shop, ref: string): Promise<RawJson>;
}

/** Reads by id that arrive while a query runs share the next query. This is an optimisation that other resources do not need. */
export function createProductReader(db: Db): ProductReader {
  const batcher = createBatcher<{ shop: Shop; id: number }, RawJson | undefined>({
    name: 'product-reads',
    key: ({ shop }) => shop.companyId,
    run: async (companyId, reads) => {
      const divisor = minorPerMajor(reads[0]!.shop.exponent);
      const ids = reads.map(({ id }) => id);
      const products = await findProductsJson(db.points(companyId), companyId, ids, divisor, 'single');
      return products.map((value) => ({ ok: true, value }));
    },
    maxSize: 64,
    maxInFlight: 4,
    maxInFlightPerKey: 2,
  });
  return {
    async get(shop, ref) {
      const by = parseRef(ref);
      const product =
        typeof by === 'number'
          ? await batcher.submit({ shop, id: by })
          : await findProductJson(db.points(shop.companyId), shop.companyId, by, minorPerMajor(shop.exponent));
      return found(product, 'product');
    },
  };
}
