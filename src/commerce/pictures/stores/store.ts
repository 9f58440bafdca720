import type { ContentName } from '../address.ts';

/** Stores the bytes of pictures and PDF files; has two implementations. */
export interface PictureStore {
  readonly name: 'database' | 'bucket';
  /** Stores a content, replacing an existing one. */
  put(key: ContentKey, content: Buffer): Promise<void>;
  /** Returns null if it does not exist. */
  get(key: ContentKey): Promise<Buffer | null>;
  /** Returns a content in pieces of at most 1 MiB, each read when it is asked for; they end early if the content does not exist. */
  pieces(key: ContentKey): AsyncIterable<Buffer>;
  /** Removes all contents; missing ones are no error. */
  remove(companyId: number, pictureId: number): Promise<void>;
}

export interface ContentKey {
  companyId: number;
  pictureId: number;
  name: ContentName;
}

/** The table of pictures says where each is, so that a bucket can be added to an installation that has some already. */
export interface PictureStores {
  database: PictureStore;
  bucket: PictureStore | null;
}

/** Returns the store for new pictures. */
export function newPicturesOf(stores: PictureStores): PictureStore {
  return stores.bucket ?? stores.database;
}

/** Throws if the bucket setting was removed while pictures are in it. */
export function storeNamed(stores: PictureStores, name: PictureStore['name']): PictureStore {
  const store = stores[name];
  if (store === null) throw new Error('Pictures are in a bucket, and TRADELOOM_BUCKET_URL is not set');
  return store;
}
