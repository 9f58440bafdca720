import type { Queryable } from '../../../db/pool.ts';
import { pictureInUrl } from '../../pictures/address.ts';
import * as fetches from './fetch-queries.ts';
import type { ImportedProduct, ProductSnapshot } from './plan.ts';

/** Returns a function that replaces the URLs of a file by the pictures that were stored for them and that the product still shows. */
export async function storedPictures(db: Queryable, companyId: number, products: readonly ProductSnapshot[]) {
  const withPictures = products.filter(({ images }) => images.some(({ url }) => pictureInUrl(url, companyId) !== null));
  const ids = withPictures.map(({ id }) => id);
  const found = ids.length === 0 ? [] : await fetches.findStoredPictures(db, companyId, ids);
  const storedAt = new Map(found.map(({ product_id, url, stored_url }) => [`${product_id} ${url}`, stored_url]));
  return (product: ImportedProduct, old: ProductSnapshot | undefined): ImportedProduct => {
    if (old === undefined || product.images === null || storedAt.size === 0) return product;
    const shown = new Set(old.images.map(({ url }) => url));
    const images = product.images.map((url) => {
      const stored = storedAt.get(`${old.id} ${url}`);
      return stored !== undefined && shown.has(stored) ? stored : url;
    });
    return { ...product, images: [...new Set(images)] };
  };
}
