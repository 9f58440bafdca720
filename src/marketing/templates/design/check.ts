import { type FieldError, validationFailed } from '../../../errors.ts';
import { type Design, type DesignLeaf, type DesignProduct, MAX_BLOCKS, MAX_DESIGN } from './schema.ts';

/** A text of a design that may contain Liquid, with the path of its field. */
interface LiquidText {
  path: string;
  text: string;
}

/** Throws validation_failed for a design that is too large. */
export function checkDesignSize(design: Design): void {
  const count = design.blocks.reduce(
    (sum, block) => sum + 1 + (block.columns ?? []).reduce((n, c) => n + c.blocks.length, 0),
    0,
  );
  if (count > MAX_BLOCKS)
    throw validationFailed([tooLong(`design.blocks has more than ${MAX_BLOCKS} blocks, with those in columns`)]);
  if (JSON.stringify(design).length > MAX_DESIGN) {
    throw validationFailed([tooLong(`design has more than ${MAX_DESIGN} characters as JSON`)]);
  }
}

function tooLong(message: string): FieldError {
  return { field: 'design', code: 'too_long', message };
}

/** All texts of the design that may contain Liquid. */
export function liquidTexts({ blocks }: Design): LiquidText[] {
  return blocks.flatMap((block, i) => [
    ...textsOf({ ...block, type: 'text' }, `design.blocks.${i}`),
    ...(block.columns ?? []).flatMap((column, c) =>
      column.blocks.flatMap((inner, j) => textsOf(inner, `design.blocks.${i}.columns.${c}.blocks.${j}`)),
    ),
  ]);
}

function textsOf(block: DesignLeaf, path: string): LiquidText[] {
  const fields = ['text', 'url', 'src', 'alt', 'address', 'unsubscribe'] as const;
  const own = fields.map((name) => ({ path: `${path}.${name}`, text: block[name] ?? '' }));
  const products = [
    ...(block.product === undefined ? [] : productTexts(block.product, `${path}.product`)),
    ...(block.products ?? []).flatMap((one, i) => productTexts(one, `${path}.products.${i}`)),
    ...(block.links ?? []).map(({ url }, i) => ({ path: `${path}.links.${i}.url`, text: url })),
  ];
  return [...own, ...products].filter(({ text }) => text.includes('{'));
}

function productTexts(product: DesignProduct, path: string): LiquidText[] {
  return (['name', 'price', 'picture', 'url'] as const).map((name) => ({
    path: `${path}.${name}`,
    text: product[name] ?? '',
  }));
}
