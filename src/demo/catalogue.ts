import type { Shape } from './drawings.ts';

export interface DemoProduct {
  slug: string;
  name: string;
  description: string;
  /** Of a product with variants, that of those that have none of their own. */
  price: number;
  /** Of a product with variants, that of each. */
  stock: number;
  category: string;
  /** Whether customers can subscribe to it. */
  subscription: boolean;
  picture: { shape: Shape; colour: string; accent: string };
  /** Those of a product that has a variant for each combination of their values. */
  options?: readonly { name: string; values: readonly string[] }[];
  /** Prices and quantities that differ, by a value of an option. */
  variants?: Readonly<Record<string, { price?: number; stock?: number }>>;
}

/** What an order can contain: a product without variants, or a variant. */
export interface DemoItem {
  /** Index into the catalogue. */
  product: number;
  /** Its value for each option. */
  values: readonly string[];
  price: number;
  stock: number;
}

/** The products of a small coffee and tea shop. */
export const CATALOGUE: readonly DemoProduct[] = [
  {
    slug: 'morning-ridge-espresso',
    name: 'Morning Ridge Espresso',
    description:
      'Our house espresso: dark chocolate, toasted hazelnut and a long, sweet finish. Roasted every Tuesday, in whole beans. 340 g.',
    price: 14.5,
    stock: 900,
    category: 'coffee',
    subscription: true,
    picture: { shape: 'bag', colour: '#7b3f24', accent: '#f2c48d' },
  },
  {
    slug: 'huehuetenango-single-origin',
    name: 'Huehuetenango Single Origin',
    description: 'From eleven families in the highlands of Guatemala. Red apple, caramel, a clean cup. 340 g.',
    price: 17,
    stock: 240,
    category: 'coffee',
    subscription: true,
    picture: { shape: 'bag', colour: '#2f5d50', accent: '#f5d76e' },
  },
  {
    slug: 'yirgacheffe-natural',
    name: 'Yirgacheffe Natural',
    description: 'Dried in the sun in its fruit, and it shows: blueberry, jasmine, lemon sherbet. 340 g.',
    price: 18.5,
    stock: 180,
    category: 'coffee',
    subscription: true,
    picture: { shape: 'bag', colour: '#8e3b63', accent: '#f7b7a3' },
  },
  {
    slug: 'night-shift-decaf',
    name: 'Night Shift Decaf',
    description: 'Decaffeinated with mountain water, roasted for people who like coffee after dinner. 340 g.',
    price: 15.5,
    stock: 150,
    category: 'coffee',
    subscription: true,
    picture: { shape: 'bag', colour: '#2c3550', accent: '#9fb4e0' },
  },
  {
    slug: 'harbour-filter-roast',
    name: 'Harbour Filter Roast',
    description: 'A light roast for a slow pot: milk chocolate, plum and black tea. 340 g.',
    price: 13.9,
    stock: 320,
    category: 'coffee',
    subscription: true,
    picture: { shape: 'bag', colour: '#35627a', accent: '#f0e3c0' },
  },
  {
    slug: 'cold-brew-pouches',
    name: 'Cold Brew Pouches, Pack of 8',
    description: 'Drop one in a litre of water in the evening, pour over ice in the morning.',
    price: 19,
    stock: 120,
    category: 'coffee',
    subscription: true,
    picture: { shape: 'bag', colour: '#1f2a38', accent: '#5cc0c7' },
  },
  {
    slug: 'smoked-lapsang',
    name: 'Smoked Lapsang',
    description: 'Smoked over pinewood: a bonfire in a cup. Wonderful with something salty. 100 g.',
    price: 11,
    stock: 90,
    category: 'tea',
    subscription: false,
    picture: { shape: 'tin', colour: '#4b3832', accent: '#d98e5f' },
  },
  {
    slug: 'earl-grey',
    name: 'Earl Grey, Loose Leaf',
    description: 'Ceylon leaves with real bergamot oil, blended a few kilos at a time. 125 g.',
    price: 9.5,
    stock: 260,
    category: 'tea',
    subscription: true,
    picture: { shape: 'tin', colour: '#39456b', accent: '#e6c229' },
  },
  {
    slug: 'jasmine-pearls',
    name: 'Jasmine Pearls',
    description: 'Green tea rolled by hand and scented with fresh blossom for five nights. 80 g.',
    price: 16,
    stock: 75,
    category: 'tea',
    subscription: false,
    picture: { shape: 'tin', colour: '#4f7a5b', accent: '#f4f1de' },
  },
  {
    slug: 'rooibos-orange',
    name: 'Rooibos & Orange Peel',
    description: 'No caffeine, plenty of warmth. Good hot, better over ice. 125 g.',
    price: 8.9,
    stock: 140,
    category: 'tea',
    subscription: true,
    picture: { shape: 'tin', colour: '#b4512f', accent: '#ffd29d' },
  },
  {
    slug: 'ceremonial-matcha',
    name: 'Ceremonial Matcha',
    description: 'First harvest from Uji, ground by stone. Whisk it; it needs nothing else. 30 g tin.',
    price: 24,
    stock: 60,
    category: 'tea',
    subscription: true,
    picture: { shape: 'tin', colour: '#5a7d2a', accent: '#dbe7c9' },
  },
  {
    slug: 'peppermint-tisane',
    name: 'Peppermint Tisane',
    description: 'Whole leaves from a garden an hour north of us. Grows cold gracefully. 60 g.',
    price: 7.5,
    stock: 110,
    category: 'tea',
    subscription: true,
    picture: { shape: 'tin', colour: '#2f7f73', accent: '#c9f0e5' },
  },
  {
    slug: 'pour-over-cone',
    name: 'Stoneware Pour-Over Cone',
    description: 'Thrown in a small pottery, glazed in ash grey. For one large cup or two small ones.',
    price: 32,
    stock: 45,
    category: 'brewing',
    subscription: false,
    picture: { shape: 'cone', colour: '#8a7968', accent: '#efe6dd' },
  },
  {
    slug: 'gooseneck-kettle',
    name: 'Gooseneck Kettle, 1 Litre',
    description: 'Pours exactly where you point it. Holds its temperature for half an hour.',
    price: 79,
    stock: 22,
    category: 'brewing',
    subscription: false,
    picture: { shape: 'kettle', colour: '#3b3b3f', accent: '#c98b5e' },
  },
  {
    slug: 'hand-grinder',
    name: 'Hand Grinder',
    description: 'Steel burrs, thirty clicks from espresso to French press, and quiet enough for six in the morning.',
    price: 64,
    stock: 31,
    category: 'brewing',
    subscription: false,
    picture: { shape: 'grinder', colour: '#4a4e54', accent: '#c7a17a' },
  },
  {
    slug: 'paper-filters',
    name: 'Paper Filters, 100 Sheets',
    description: 'Unbleached, for the stoneware cone and most others of its size.',
    price: 6.5,
    stock: 600,
    category: 'brewing',
    subscription: true,
    picture: { shape: 'box', colour: '#c9a66b', accent: '#fff8ea' },
  },
  {
    slug: 'glass-carafe',
    name: 'Glass Carafe',
    description: 'Takes 600 ml and the heat, and goes into the dishwasher without a word.',
    price: 28,
    stock: 38,
    category: 'brewing',
    subscription: false,
    picture: { shape: 'carafe', colour: '#5b8fa8', accent: '#eaf6fb' },
  },
  {
    slug: 'brew-scale',
    name: 'Brew Scale with Timer',
    description: 'Weighs to a tenth of a gram and counts the seconds. The next batch is on its way.',
    price: 45,
    stock: 0,
    category: 'brewing',
    subscription: false,
    picture: { shape: 'box', colour: '#2d2f36', accent: '#7fd1ae' },
  },
  {
    slug: 'speckled-mug',
    name: 'Speckled Mug',
    description: 'Heavy, round and a little different each time. 350 ml.',
    price: 18,
    stock: 84,
    category: 'tableware',
    subscription: false,
    picture: { shape: 'mug', colour: '#a9b6a2', accent: '#4c5a48' },
  },
  {
    slug: 'espresso-cups',
    name: 'Espresso Cups, Set of Two',
    description: 'Thick walls keep a small coffee warm. Terracotta outside, white inside.',
    price: 26,
    stock: 40,
    category: 'tableware',
    subscription: false,
    picture: { shape: 'mug', colour: '#c26d4f', accent: '#fde3d3' },
  },
  {
    slug: 'cast-iron-teapot',
    name: 'Cast Iron Teapot',
    description: 'Enamelled inside, with a basket for loose leaves. 800 ml, and it will outlive us all.',
    price: 58,
    stock: 17,
    category: 'tableware',
    subscription: false,
    picture: { shape: 'kettle', colour: '#26313b', accent: '#88a0a8' },
  },
  {
    slug: 'linen-tea-towel',
    name: 'Linen Tea Towel',
    description: 'Washed linen from Portugal. Dries glasses and gets softer every year.',
    price: 12,
    stock: 130,
    category: 'tableware',
    subscription: false,
    picture: { shape: 'towel', colour: '#d8c7b0', accent: '#7b4b3a' },
  },
  {
    slug: 'heather-honey',
    name: 'Heather Honey',
    description: 'From three hives on the moor, cold-filled. Strong stuff. 340 g.',
    price: 12.5,
    stock: 66,
    category: 'pantry',
    subscription: false,
    picture: { shape: 'jar', colour: '#c9821a', accent: '#fff0c9' },
  },
  {
    slug: 'sea-salt-chocolate',
    name: 'Dark Chocolate with Sea Salt',
    description: 'Seventy per cent, from beans of a single farm. One bar is two evenings, or one. 80 g.',
    price: 6.8,
    stock: 8,
    category: 'pantry',
    subscription: false,
    picture: { shape: 'bar', colour: '#3d2417', accent: '#e8d5c4' },
  },
  {
    slug: 'sumatra-wet-hulled',
    name: 'Sumatra Wet-Hulled',
    description:
      'Cedar, dark cocoa and a hint of clove, from smallholders around Lake Toba. Ground for you, or left whole.',
    price: 13.5,
    stock: 140,
    category: 'coffee',
    subscription: true,
    picture: { shape: 'bag', colour: '#4a5a3a', accent: '#e3c9a8' },
    options: [
      { name: 'Size', values: ['250 g', '1 kg'] },
      { name: 'Grind', values: ['Whole beans', 'Filter', 'Espresso'] },
    ],
    variants: { '1 kg': { price: 46, stock: 60 } },
  },
  {
    slug: 'roastery-t-shirt',
    name: 'Roastery T-Shirt',
    description: 'Heavy organic cotton, printed by hand next door. Cut straight, and it stays that way in the wash.',
    price: 28,
    stock: 40,
    category: 'apparel',
    subscription: false,
    picture: { shape: 'shirt', colour: '#3f4a4f', accent: '#e7dccb' },
    options: [
      { name: 'Colour', values: ['Charcoal', 'Oat', 'Fern'] },
      { name: 'Size', values: ['S', 'M', 'L', 'XL'] },
    ],
    variants: { XL: { price: 30, stock: 6 }, S: { stock: 0 } },
  },
];

/** Returns the variants of a product: one for each combination of its options' values; without options, the product itself. */
export function itemsOf(product: number): DemoItem[] {
  const { price, stock, options = [], variants = {} } = CATALOGUE[product]!;
  const combinations = options.reduce<string[][]>(
    (begun, { values }) => begun.flatMap((before) => values.map((value) => [...before, value])),
    [[]],
  );
  return combinations.map((values) => {
    const own = values.map((value) => variants[value] ?? {});
    return {
      product,
      values,
      price: own.find((one) => one.price !== undefined)?.price ?? price,
      stock: own.find((one) => one.stock !== undefined)?.stock ?? stock,
    };
  });
}

/** Everything that can be ordered. */
export const ITEMS: readonly DemoItem[] = CATALOGUE.flatMap((_, product) => itemsOf(product));
