import { MAX_VARIANTS } from '../../../../../src/commerce/products/kinds.ts';
import { type Api, dataOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { t } from '../../../i18n/i18n.ts';
import { sayError } from '../../../ui/messages.tsx';
import type { Product, ProductBody } from '../queries.ts';
import { firstCombinations, hasMore, isTooMany, type ProductOption } from './options.ts';
import type { GenerateBody } from './queries.ts';

/** What the form of a new product sends: the price and stock of a product with variants are those of each variant. */
export type NewProductBody = ProductBody & { has_variants: boolean; price: number };

/** Creates a product, where it has options with a variant for each combination of their values. @throws ApiError */
export async function createProduct(api: Api, body: NewProductBody): Promise<Product> {
  const { has_variants, options = [], price, stock_qty, ...own } = body;
  if (!has_variants) return dataOf(api.POST('/products', { body: { ...own, price, stock_qty } }));
  refuseTooMany(options);
  const start = { price, stock_qty };
  const variants = firstCombinations(options).map((values) => ({ ...start, options: values }));
  const made = await dataOf(api.POST('/products', { body: { ...own, options, variants } }));
  if (hasMore(options)) await addOthers(api, made.id, start);
  return made;
}

/** The product exists by now, and its page offers to add them: a failure is shown there. */
async function addOthers(api: Api, id: number, body: GenerateBody): Promise<void> {
  try {
    await dataOf(api.POST('/products/{id}/variants/generate', { params: { path: { id: String(id) } }, body }));
  } catch (error) {
    sayError(error);
  }
}

function refuseTooMany(options: readonly ProductOption[]): void {
  if (!isTooMany(options)) return;
  const message = t('problem.most', { limit: MAX_VARIANTS });
  throw new ApiError(422, 'validation_failed', message, [{ field: 'options', message }]);
}
