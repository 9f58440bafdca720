import Type, { type Static } from 'typebox';
import { OneOf } from '../../../lib/schemas.ts';

/** A design: an e-mail as a document of blocks. Every field except `type` has a default, so that a draft can be shown. */

export const LEAF_TYPES = [
  ...['text', 'picture', 'button', 'product', 'product_grid', 'coupon', 'social', 'divider', 'spacer', 'footer'],
] as const;
export const FONTS = [
  'Arial',
  'Courier New',
  'Georgia',
  'Tahoma',
  'Times New Roman',
  'Trebuchet MS',
  'Verdana',
] as const;
export const NETWORKS = [
  ...['facebook', 'instagram', 'tiktok', 'youtube', 'x', 'linkedin', 'pinterest', 'whatsapp', 'threads', 'website'],
] as const;
/** Where the products of a grid come from: the design itself, or a list of `recommendations`. */
export const PRODUCT_SOURCES = ['chosen', 'best_sellers', 'bought_together', 'recently_viewed'] as const;

/** The maximum number of blocks of a design, including those inside columns, and of characters of its JSON. */
export const MAX_BLOCKS = 200;
export const MAX_DESIGN = 200_000;

export const Color = (description: string) => Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description });
const Url = (description: string) => Type.String({ maxLength: 2_000, description });
const optional = Type.Optional;

const DesignProduct = Type.Object({
  name: Type.String({ maxLength: 255, description: 'Liquid' }),
  price: optional(Type.String({ maxLength: 50, description: 'As it is shown: "12.50 EUR"; Liquid' })),
  picture: optional(Url('The address of the picture')),
  url: optional(Url('Where the product is bought')),
});
export type DesignProduct = Static<typeof DesignProduct>;

export const SocialLink = Type.Object({ network: OneOf(NETWORKS), url: Url('The address of the profile') });

const leafFields = {
  id: optional(Type.String({ pattern: '^[a-z0-9]{1,20}$', description: 'Told apart in the editor by it' })),
  text: optional(
    Type.String({
      maxLength: 20_000,
      description:
        'Of text, button, product, product_grid, coupon and footer. Plain text with Liquid; **bold**, *italic*, [link](https://…), lines that begin with "- " and blank lines between paragraphs are formatted in text, coupon and footer.',
    }),
  ),
  style: optional(OneOf(['title', 'heading', 'body', 'small'] as const, { description: 'Of text: body by default' })),
  align: optional(OneOf(['left', 'center', 'right'] as const)),
  color: optional(Color('Of the text, or of the divider')),
  background: optional(Color('Behind the block; of a button, its own')),
  url: optional(Url('Of button and picture: where they lead; http, https, mailto or tel, or Liquid')),
  src: optional(Url('Of picture: its address; http or https, or Liquid')),
  alt: optional(Type.String({ maxLength: 300, description: 'Of picture: alternative text' })),
  width: optional(Type.Integer({ minimum: 16, maximum: 800, description: 'Of picture: pixels' })),
  height: optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Of spacer: pixels' })),
  product: optional(DesignProduct),
  products: optional(Type.Array(DesignProduct, { maxItems: 12, description: 'Of product_grid, chosen by hand' })),
  per_row: optional(Type.Integer({ minimum: 1, maximum: 4, description: 'Of product_grid: 3 by default' })),
  source: optional(
    OneOf(PRODUCT_SOURCES, {
      description:
        'Of product_grid: where its products come from. `chosen` by default: those in `products`; others are put in for each recipient.',
    }),
  ),
  category: optional(
    Type.String({
      pattern: '^[a-z0-9-]{0,240}$',
      description: 'Of product_grid with `best_sellers`: the slug of the category whose best sellers are shown',
    }),
  ),
  count: optional(
    Type.Integer({
      minimum: 1,
      maximum: 12,
      description: 'Of product_grid: how many at most, unless chosen; 6 by default',
    }),
  ),
  fallback: optional(
    OneOf(['none', 'best_sellers'] as const, {
      description: 'Of product_grid: content if the source has no products. Default `none`: the block is left out.',
    }),
  ),
  code: optional(
    Type.String({
      pattern: '^([A-Za-z][A-Za-z0-9_]{0,59})?$',
      description: 'Of coupon: the code of the coupon template',
    }),
  ),
  links: optional(Type.Array(SocialLink, { maxItems: 10, description: 'Of social' })),
  address: optional(
    Type.String({ maxLength: 500, description: 'Of footer: the postal address of the sender; Liquid' }),
  ),
  unsubscribe: optional(Type.String({ maxLength: 100, description: 'Of footer: the text of the unsubscribe link' })),
};

export const DesignLeaf = Type.Object({ type: OneOf(LEAF_TYPES), ...leafFields });
export type DesignLeaf = Static<typeof DesignLeaf>;

const DesignColumn = Type.Object({
  width: optional(Type.Integer({ minimum: 10, maximum: 90, description: 'Percent; equal by default' })),
  blocks: Type.Array(DesignLeaf, { maxItems: 30 }),
});

export const DesignBlock = Type.Object({
  type: OneOf([...LEAF_TYPES, 'columns'] as const),
  ...leafFields,
  columns: optional(
    Type.Array(DesignColumn, {
      minItems: 1,
      maxItems: 4,
      description: 'Of columns: side by side; below each other on a phone',
    }),
  ),
});
export type DesignBlock = Static<typeof DesignBlock>;

export const DesignStyle = Type.Object({
  font: optional(OneOf(FONTS)),
  heading_font: optional(OneOf(FONTS)),
  width: optional(Type.Integer({ minimum: 400, maximum: 800, description: 'Pixels; 600 by default' })),
  background: optional(Color('Around the e-mail')),
  canvas: optional(Color('Behind the blocks')),
  text: optional(Color('Of texts')),
  link: optional(Color('Of links')),
  button: optional(Color('Of buttons')),
  button_text: optional(Color('Of the texts on buttons')),
});
export type DesignStyle = Static<typeof DesignStyle>;

export const Design = Type.Object(
  {
    version: optional(Type.Integer({ minimum: 1, maximum: 1 })),
    style: optional(DesignStyle),
    blocks: Type.Array(DesignBlock, { maxItems: 100 }),
  },
  {
    description: `An e-mail as blocks, from which \`content\` is made as MJML. At most ${MAX_BLOCKS} blocks with those in columns, and ${MAX_DESIGN / 1000} kB of JSON. Fields that a type of block does not name are ignored.`,
  },
);
export type Design = Static<typeof Design>;
