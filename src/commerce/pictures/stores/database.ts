import type { Db } from '../../../db/pool.ts';
import { deleteContents, findContent, putContent } from './database-queries.ts';
import type { PictureStore } from './store.ts';

/** Stores pictures in the database with everything else, so that one backup has them all. */
export function createDatabaseStore(db: Db): PictureStore {
  return {
    name: 'database',
    put: (key, content) => putContent(db.writes(key.companyId), key, content),
    get: (key) => findContent(db.lists(key.companyId), key),
    remove: (companyId, pictureId) => deleteContents(db.choresOf(companyId), companyId, pictureId),
  };
}
