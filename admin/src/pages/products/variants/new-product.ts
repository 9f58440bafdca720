import { MAX_VARIANTS } from '../../../../../src/commerce/products/kinds.ts';
import { type Api, dataOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { t } from '../../../i18n/i18n.ts';
import { sayError } from '../../../ui/messages.tsx';
import { gathered, type WithCustom } from '../../custom-fields/fields.tsx';
import type { Product, ProductBody } from '../queries.ts';
import { firstCombinations, hasMore, isTooMany, type ProductOption, VARIANT_CUSTOM } from './options.ts';
import type { GenerateBody } from './queries.ts';

/** A body with custom values of each variant beside those of the product. */
export type WithVariantCustom<Body> = WithCustom<Body> & { [name: `variant.custom.${string}`]: unknown };

/** What the form of a new product sends: the price and stock of a product with variants are those of each variant. */
export type NewProductBody = ProductBody & { has_variants: boolean; price: number };

/** Creates a product, where it has options with a variant for each combination of their values. @throws ApiError */
export async function createProduct(api: Api, body: WithVariantCustom<NewProductBody>): Promise<Product> {
  const [product, custom] = apart(body);
  const { has_variants, options = [], price, stock_qty, ...own } = gathered<NewProductBody>(product);
  if (!has_variants) return dataOf(api.POST('/products', { body: { ...own, price, stock_qty } }));
  refuseTooMany(options);
  const start = { price, stock_qty, ...custom };
  const variants = firstCombinations(options).map((values) => ({ ...start, options: values }));
  const made = await dataOf(api.POST('/products', { body: { ...own, options, variants } }));
  if (hasMore(options)) await addOthers(api, made.id, start);
  return made;
}

/** Separates the custom values of each variant from the body of the product. */
function apart<Body extends object>(body: Body): [Body, { custom?: Record<string, unknown> }] {
  const [variant = [], product = []] = [true, false].map((isVariant) =>
    Object.entries(body).filter(([name]) => name.startsWith(VARIANT_CUSTOM) === isVariant),
  );
  const custom = variant.map(([name, value]) => [name.slice(VARIANT_CUSTOM.length), value]);
  return [Object.fromEntries(product) as Body, custom.length === 0 ? {} : { custom: Object.fromEntries(custom) }];
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
