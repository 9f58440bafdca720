import type { Caller } from '../../caller.ts';
import type { Tx } from '../../db/pool.ts';
import { invalidField } from '../../errors.ts';
import { type PictureRef, pictureInUrl } from './address.ts';
import * as queries from './queries.ts';

/** How long a picture is kept after products stop showing it: e-mails may show it. */
const LET_GO_MS = 30 * 86_400_000;

interface WithUrl {
  url: string;
}

type At = Pick<Caller, 'companyId' | 'now'>;

/** A product's pictures before and after a change. */
export interface Relinking {
  productId: number;
  before: readonly WithUrl[];
  after: readonly WithUrl[];
}

/**
 * Records which pictures the product shows, so that they are kept, and starts the retention time of those that it no longer shows. Throws
 * validation_failed for the address of a picture that does not exist, unless it is under another host.
 */
export async function linkPictures(
  tx: Tx,
  at: At,
  productId: number,
  { origin, ...images }: Omit<Relinking, 'productId'> & { origin: string },
): Promise<void> {
  const there = await relinkPictures(tx, at, [{ productId, ...images }]);
  const missing = images.after.findIndex(({ url }) => {
    const ref = pictureInUrl(url, at.companyId);
    return ref !== null && there.get(ref.id) !== ref.hash && url.startsWith(`${origin}/`);
  });
  if (missing !== -1) {
    throw invalidField(`images.${missing}.url`, 'Unknown picture. Upload it again', 'not_found');
  }
}

/** The same for any number of products, without that check. Returns the hashes of the pictures that exist, by id. */
export async function relinkPictures(
  tx: Tx,
  { companyId, now }: At,
  changes: readonly Relinking[],
): Promise<Map<number, string>> {
  const refsOf = (images: readonly WithUrl[]): PictureRef[] =>
    images.map(({ url }) => pictureInUrl(url, companyId)).filter((ref) => ref !== null);
  const concerned = [
    ...new Set(changes.flatMap(({ before, after }) => refsOf([...before, ...after]).map(({ id }) => id))),
  ];
  if (concerned.length === 0) return new Map();
  const there = new Map((await queries.lockPictures(tx, companyId, concerned)).map(({ id, hash }) => [id, hash]));
  const shown = changes.flatMap(({ productId, after }) =>
    refsOf(after)
      .filter(({ id, hash }) => there.get(id) === hash)
      .map(({ id }) => ({ productId, pictureId: id })),
  );
  const products = changes.map(({ productId }) => productId);
  await queries.setProductPictures(tx, companyId, products, shown);
  await queries.setDeleteAfter(tx, companyId, concerned, new Date(now.getTime() + LET_GO_MS));
  return there;
}
