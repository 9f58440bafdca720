import { column, type Fields, type Format, LEFT, OPTION_FIELDS } from './format.ts';

/** The product import format of Vendure's documentation: rows without a name are variants of the product before. */
export const vendureProducts: Format = {
  name: 'vendure-products',
  title: 'Vendure products',
  kind: 'products',
  separator: 'point',
  groupBy: 'group',
  columns: [
    column('name', 'name'),
    column('slug', 'slug'),
    column('description', 'description'),
    column('assets', 'assets'),
    column('facets', 'facets'),
    column('option_groups', 'optionGroups'),
    column('option_values', 'optionValues'),
    column('sku', 'sku'),
    column('price', 'price'),
    column('tax_class', 'taxCategory'),
    column('stock', 'stockOnHand'),
    column('tracker', 'trackInventory'),
    column('variant_assets', 'variantAssets'),
    column('barcode', 'variant:barcode', 'variant:gtin', 'variant:ean'),
  ],
  read(fields: Fields): Fields {
    const next: Fields = { ...fields };
    if (fields.name !== undefined) next.group = fields.slug ?? fields.name;
    delete next.slug;
    listIn(fields.option_groups).forEach((name, i) => {
      if (OPTION_FIELDS[i] !== undefined) next[OPTION_FIELDS[i].name] = name.replace(/:.*/s, '').trim();
    });
    const values = listIn(fields.option_values);
    values.forEach((value, i) => {
      if (OPTION_FIELDS[i] !== undefined) next[OPTION_FIELDS[i].value] = value;
    });
    if (values.length > 0) next.variant = values.join(' / ');
    // `category:Shoes|brand:Acme`: the categories have a place here.
    const facets = listIn(fields.facets).map((facet) => facet.split(':').map((part) => part.trim()));
    const categories = facets.filter(([name]) => /^categor/i.test(name!)).map(([, value]) => value ?? '');
    if (categories.length > 0) next.categories = JSON.stringify(categories);
    // Files on the disk of the old server cannot be fetched.
    const pictures = addressesIn(fields.assets);
    if (pictures.length > 0) next.images = pictures.join(' ');
    const [own] = addressesIn(fields.variant_assets);
    if (own !== undefined) next.variant_image = own;
    const left = [
      ...(facets.length > categories.length ? ['facets'] : []),
      ...(['assets', 'variant_assets'] as const).filter(
        (field) => listIn(fields[field]).length > addressesIn(fields[field]).length,
      ),
    ];
    if (left.length > 0) next[LEFT] = left.join();
    if (/^(?:false|no|0)$/i.test(fields.tracker ?? '')) next.untracked = 'yes';
    else if (/^(?:true|yes|1)$/i.test(fields.tracker ?? '')) next.untracked = 'no';
    return next;
  },
};

function listIn(text: string | undefined): string[] {
  return (text ?? '')
    .split('|')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function addressesIn(text: string | undefined): string[] {
  return listIn(text).filter((one) => /^https?:\/\//i.test(one));
}
