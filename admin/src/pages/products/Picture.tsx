import { pictureOf } from '../../ui/picture.ts';
import css from './Picture.module.css';
import type { Product } from './queries.ts';

/** The first picture of a product in a row; a variant without one has its parent's. */
export function Picture({ product }: { product: Product }) {
  const image = product.images.find(({ is_primary }) => is_primary);
  const shown = image === undefined ? null : pictureOf(image.url, 'thumb');
  if (shown === null) return <span className={css.picture} />;
  return <img src={shown} alt="" loading="lazy" width={32} height={32} className={css.picture} />;
}
