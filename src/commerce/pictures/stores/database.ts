import type { Db } from '../../../db/pool.ts';
import { deleteContents, findContent, findPiece, putContent } from './database-queries.ts';
import type { ContentKey, PictureStore } from './store.ts';

const PIECE_BYTES = 2 ** 20;

/** Stores pictures in the database with everything else, so that one backup has them all. */
export function createDatabaseStore(db: Db): PictureStore {
  async function* pieces(key: ContentKey): AsyncGenerator<Buffer> {
    for (let at = 0; ; at += PIECE_BYTES) {
      const piece = await findPiece(db.lists(key.companyId), key, { at, length: PIECE_BYTES });
      if (piece !== null && piece.length > 0) yield piece;
      if (piece === null || piece.length < PIECE_BYTES) return;
    }
  }
  return {
    name: 'database',
    pieces,
    put: (key, content) => putContent(db.writes(key.companyId), key, content),
    get: (key) => findContent(db.lists(key.companyId), key),
    remove: (companyId, pictureId) => deleteContents(db.choresOf(companyId), companyId, pictureId),
  };
}
