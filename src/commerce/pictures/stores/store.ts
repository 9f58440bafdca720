import type { Variant } from '../address.ts';

/** Where the bytes of pictures are: the one port of it, with two stores behind. */
export interface PictureStore {
  readonly name: 'database' | 'bucket';
  /** Stores a variant, in place of what is there. */
  put(key: ContentKey, content: Buffer): Promise<void>;
  /** null where it is not there. */
  get(key: ContentKey): Promise<Buffer | null>;
  /** All variants; those that are not there are no error. */
  remove(companyId: number, pictureId: number): Promise<void>;
}

export interface ContentKey {
  companyId: number;
  pictureId: number;
  variant: Variant;
}

/** The table of pictures says where each is, so that a bucket can be added to an installation that has some already. */
export interface PictureStores {
  database: PictureStore;
  bucket: PictureStore | null;
}

/** Where new pictures go. */
export function newPicturesOf(stores: PictureStores): PictureStore {
  return stores.bucket ?? stores.database;
}

/** Throws where the setting of the bucket was taken away while pictures are in it. */
export function storeNamed(stores: PictureStores, name: PictureStore['name']): PictureStore {
  const store = stores[name];
  if (store === null) throw new Error('Pictures are in a bucket, and TRADELOOM_BUCKET_URL is not set');
  return store;
}
