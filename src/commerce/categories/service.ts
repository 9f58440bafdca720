import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, found } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { type IfMatch, requireRevision } from '../../lib/validation/revision.ts';
import { categorySlug } from '../products/slug.ts';
import type { Category, CategoryInput, CategoryPatch, CategoryQuery } from './contract.ts';
import * as queries from './queries.ts';

export type CategoriesService = ReturnType<typeof createCategoriesService>;

/** Categories with their names. Products, orders and promo codes know them by their slugs, which never change. */
export function createCategoriesService({ db }: { db: Db }) {
  return {
    /** By position, then by name. */
    async listCategories(companyId: number, query: CategoryQuery): Promise<Page<Category> & { rows: Category[] }> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const [total, rows] = await Promise.all([
        queries.countCategories(lane, companyId, query.search),
        queries.listCategories(lane, companyId, query.search, page),
      ]);
      return { rows: rows.map(recordOf), total, ...page };
    },

    /** Throws not_found. */
    async getCategory(companyId: number, slug: string): Promise<Category> {
      return recordOf(found(await queries.findCategory(db.points(companyId), companyId, slug), 'category'));
    },

    /** Throws duplicate. */
    async createCategory(caller: Caller, input: CategoryInput): Promise<Category> {
      const { name, description = '', position = 0 } = input;
      const slug = input.slug ?? categorySlug(name);
      return write(db, caller, async (tx) => {
        const values = { slug, name, description, position };
        const row = await queries.insertCategory(tx, caller.companyId, values, caller.now);
        if (row === undefined) {
          const field = input.slug ? 'slug' : 'name';
          throw new AppError('duplicate', `Another category has the slug ${slug}`, { field, slug });
        }
        return recordOf(row);
      });
    },

    /** Sets the fields that are given. Throws not_found, revision_mismatch. */
    async updateCategory(
      caller: Caller,
      slug: string,
      patch: CategoryPatch,
      ifMatch: IfMatch | null,
    ): Promise<Category> {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const old = found(await queries.lockCategory(tx, companyId, slug, 'for no key update'), 'category');
        requireRevision(ifMatch, old.revision);
        const { name, description, position } = old;
        const values = { name, description, position, ...patch };
        return recordOf(await queries.updateCategory(tx, companyId, slug, values, now));
      });
    },

    /** Returns the deleted category. Throws not_found, in_use. */
    async deleteCategory(caller: Caller, slug: string): Promise<Category> {
      const { companyId } = caller;
      return write(db, caller, async (tx) => {
        const row = found(await queries.lockCategory(tx, companyId, slug, 'for update'), 'category');
        const uses = await queries.findUses(tx, companyId, slug);
        const [use] = uses;
        if (use !== undefined) {
          const ids = (kind: typeof use.kind) => uses.filter((one) => one.kind === kind).map(({ id }) => id);
          const details = { product_ids: ids('product'), promo_code_ids: ids('promo code') };
          throw new AppError('in_use', `The ${use.kind} ${use.id} has this category`, details);
        }
        await queries.deleteCategory(tx, companyId, slug);
        return recordOf(row);
      });
    },
  };
}

function recordOf({ created_at, updated_at, ...row }: queries.CategoryRow): Category {
  return { ...row, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}
