import type { endpoints as StoreEndpoints } from './generated/store.ts';
import { originOf } from './origin.ts';
import { enveloped, type Surface, surfaceOf } from './surface.ts';
import type { ConnectionOptions } from './transport.ts';

export interface StoreOptions extends ConnectionOptions {
  /** A store key, which is public: `tl_pub_…`. */
  key: string;
  /** Address of the server, without a path: `https://shop.example.com`. */
  url: string;
}

/**
 * Creates a client of the store interface, for the pages and apps of a shop. Calls return the `data` of the response. Throws a TypeError
 * where `url` is not the address of a server.
 */
export function createStore({ key, url, ...options }: StoreOptions): Surface<StoreEndpoints> {
  return surfaceOf<StoreEndpoints>(
    { ...options, origin: originOf(url, 'url') },
    { ...enveloped, prefix: '/store/v1', headers: { 'X-Store-Key': key } },
  );
}
