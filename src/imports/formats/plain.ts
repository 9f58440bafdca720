import { column, type Fields, type Format, type Inheritance, LEFT, OPTION_FIELDS } from './format.ts';
import { arrayIn, withConsents } from './json-cells.ts';

/** Files from anywhere. The headers are common names for such columns; the mapping can be corrected. */

export const csvContacts: Format = {
  name: 'csv-contacts',
  title: 'Contacts (CSV)',
  kind: 'contacts',
  columns: [
    column('email', 'email', 'e-mail', 'mail', 'email address', 'e-mail address', 'E-Mail-Adresse'),
    column('phone', 'phone', 'phone number', 'mobile', 'telephone', 'Telefon', 'Handy'),
    column('first_name', 'first name', 'given name', 'forename', 'Vorname'),
    column('last_name', 'last name', 'surname', 'family name', 'Nachname'),
    column('external_id', 'external id', 'customer id'),
    column('tags', 'tags', 'tag', 'labels'),
    column('source', 'source'),
    column('email_consent', 'email consent', 'consent', 'subscribed', 'newsletter', 'opt in', 'status'),
    column('sms_consent', 'sms consent'),
    column('consent_at', 'consent at', 'subscribed at', 'opt in time'),
    column('consent_ip', 'consent ip', 'opt in ip'),
  ],
  read: withConsents,
};

export const csvCustomers: Format = {
  name: 'csv-customers',
  title: 'Customers (CSV)',
  kind: 'customers',
  columns: [
    column('email', 'email', 'e-mail', 'mail', 'email address', 'e-mail address', 'E-Mail-Adresse'),
    column('first_name', 'first name', 'given name', 'Vorname'),
    column('last_name', 'last name', 'surname', 'family name', 'Nachname'),
    column('full_name', 'name', 'full name', 'customer'),
    column('phone', 'phone', 'phone number', 'mobile', 'telephone', 'Telefon'),
    column('address', 'address', 'street', 'shipping address', 'Straße'),
    column('city', 'city', 'town', 'shipping city', 'Ort', 'Stadt'),
    column('state', 'state', 'province', 'shipping state'),
    column('zip', 'zip', 'postal code', 'postcode', 'shipping zip', 'PLZ'),
    column('country', 'country', 'shipping country', 'Land'),
    column('email_consent', 'accepts marketing', 'newsletter', 'consent', 'opt in'),
    column('created_at', 'created at', 'registered at'),
  ],
};

/** A list exported from here names the product of a variant by its id, other files name it by its slug. */
const variants: Inheritance = {
  by: ['parent_slug', 'variant_of'],
  referencesTo: ({ parent_row, slug, id }) =>
    parent_row === undefined
      ? []
      : [...(slug === undefined ? [] : [`slug:${slug.toLowerCase()}`]), ...(id === undefined ? [] : [`id:${id}`])],
  referenceIn: ({ parent_slug, variant_of }) =>
    parent_slug !== undefined
      ? `slug:${parent_slug.toLowerCase()}`
      : variant_of === undefined
        ? undefined
        : `id:${variant_of}`,
  keeps: [
    'name',
    'slug',
    'description',
    'seo_title',
    'seo_description',
    'categories',
    'images',
    'tax_class',
    'status',
    'archived',
    'options',
  ],
  join(fields, product) {
    const own: Fields = { ...fields };
    const given = arrayIn(fields.options ?? '') as { name?: unknown; value?: unknown }[] | null;
    if (given !== null && OPTION_FIELDS.every(({ value }) => fields[value] === undefined)) {
      given.slice(0, OPTION_FIELDS.length).forEach((option, i) => {
        own[OPTION_FIELDS[i]!.name] = String(option?.name);
        own[OPTION_FIELDS[i]!.value] = String(option?.value);
      });
    }
    // A variant without pictures of its own is exported with those of its product.
    if (product !== null && product.images === fields.images) delete own.images;
    return { own, parent: product ?? productOf(own) };
  },
};

/** What the row of a variant says of its product, which has no row: the name of a variant ends with its values. */
function productOf(fields: Fields): Fields {
  const parent: Fields = {};
  for (const field of ['description', 'categories'] as const) {
    if (fields[field] !== undefined) parent[field] = fields[field];
  }
  if (fields.parent_slug !== undefined) parent.slug = fields.parent_slug;
  if (fields.name === undefined) return parent;
  const values = OPTION_FIELDS.flatMap(({ value }) => fields[value] ?? []);
  const title = fields.title ?? values.join(' / ');
  const end = [' – ', ' - '].map((dash) => dash + title).find((one) => fields.name!.endsWith(one));
  parent.name = end === undefined ? fields.name : fields.name.slice(0, -end.length);
  return parent;
}

export const csvProducts: Format = {
  name: 'csv-products',
  title: 'Products (CSV)',
  kind: 'products',
  columns: [
    column('name', 'name', 'title', 'product', 'product name', 'Bezeichnung'),
    column('sku', 'sku', 'article number', 'item number', 'Artikelnummer'),
    column('slug', 'slug', 'handle'),
    column('price', 'price', 'unit price', 'Preis'),
    column('stock', 'stock', 'stock qty', 'quantity', 'inventory', 'Bestand'),
    column('description', 'description', 'Beschreibung'),
    column('seo_title', 'seo title', 'meta title'),
    column('seo_description', 'seo description', 'meta description'),
    column('categories', 'categories', 'category', 'Kategorie', 'Kategorien'),
    column('images', 'images', 'image', 'image url'),
    column('tax_class', 'tax class'),
    column('barcode', 'barcode', 'GTIN', 'EAN', 'UPC', 'ISBN'),
    column('compare_at_price', 'compare at price'),
    column('cost', 'cost', 'cost per item'),
    column('weight_g', 'weight g', 'weight in grams', 'grams'),
    column('requires_shipping', 'requires shipping'),
    column('track_stock', 'track stock'),
    column('low_stock_at', 'low stock at'),
    column('status', 'status'),
    column('archived', 'archived'),
    column('has_variants', 'has variants'),
    column('parent_slug', 'parent slug', 'parent handle'),
    ...OPTION_FIELDS.slice(0, 5).flatMap(({ name, value }) => [column(name, name), column(value, value)]),
    column('position', 'position'),
    column('id', 'id'),
    column('variant_of', 'variant of'),
    column('options', 'options'),
    column('title', 'title', 'variant title'),
  ],
  read(fields) {
    // An export from here with variants has their parents, too.
    if (/^(?:true|yes|1)$/i.test(fields.has_variants ?? '')) {
      return { ...fields, parent_row: 'A product with variants is not sold itself' };
    }
    const left = OPTION_FIELDS.flatMap(({ name, value }) => [name, value]).filter((one) => fields[one] !== undefined);
    const isVariant = fields.parent_slug !== undefined || fields.variant_of !== undefined;
    return isVariant || left.length === 0 ? fields : { ...fields, [LEFT]: left.join() };
  },
  inheritance: variants,
};

export const csvOrders: Format = {
  name: 'csv-orders',
  title: 'Orders (CSV)',
  kind: 'orders',
  groupBy: 'number',
  columns: [
    column('number', 'order number', 'number', 'order', 'order id', 'external id', 'Bestellnummer'),
    column('email', 'email', 'e-mail', 'customer email', 'E-Mail-Adresse'),
    column('status', 'status'),
    column('created_at', 'created at', 'date', 'order date', 'Datum'),
    column('currency', 'currency'),
    column('total', 'total', 'order total', 'Gesamtbetrag'),
    column('tax', 'tax', 'taxes', 'tax total'),
    column('shipping', 'shipping', 'shipping total'),
    column('discount', 'discount', 'discount total'),
    column('paid', 'paid', 'amount paid', 'paid amount', 'Bezahlt'),
    column('refunded', 'refunded', 'refunded amount', 'amount refunded', 'Erstattet'),
    column('payment_status', 'payment status', 'financial status'),
    column('paid_at', 'paid at', 'date paid', 'paid date'),
    column('payment_method', 'payment method'),
    column('payment_reference', 'payment reference', 'transaction id'),
    column('item_name', 'item name', 'item', 'product', 'product name'),
    column('item_sku', 'item sku', 'sku'),
    column('item_qty', 'item quantity', 'quantity', 'qty'),
    column('item_price', 'item price', 'price', 'unit price'),
    column('shipping_name', 'shipping name', 'name'),
    column('shipping_address', 'shipping address', 'address', 'street'),
    column('shipping_city', 'shipping city', 'city'),
    column('shipping_state', 'shipping state', 'state'),
    column('shipping_zip', 'shipping zip', 'zip', 'postal code', 'postcode'),
    column('shipping_country', 'shipping country', 'country'),
    column('shipping_method', 'shipping method'),
    column('promo_code', 'promo code', 'discount code', 'coupon'),
  ],
  read(fields) {
    const paid = PAID_WORDS.find(([, word]) => word.test(fields.paid ?? ''));
    if (paid === undefined) return fields;
    const { paid: _, ...others } = fields;
    return { payment_status: paid[0], ...others };
  },
};

/** What a column that has no amounts says of what was paid. */
const PAID_WORDS = [
  ['paid', /^(?:y|yes|true|ja|j|paid|bezahlt)$/i],
  ['unpaid', /^(?:n|no|false|nein|unpaid|offen)$/i],
] as const;
