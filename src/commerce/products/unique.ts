import { constraintOf } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';

/** Fields that no two products share, by their constraint. */
const UNIQUE_FIELDS: Readonly<Record<string, string>> = {
  products_company_id_slug_key: 'slug',
  products_sku: 'sku',
  products_barcode: 'barcode',
  products_combination: 'options',
};

/** Runs an insert or update. Throws duplicate where another product has this slug, SKU or barcode. */
export async function checkUnique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const field = UNIQUE_FIELDS[constraintOf(error)];
    if (field === undefined) throw error;
    throw new AppError('duplicate', `Another product has this ${field}`, { field });
  }
}
