import { column, type Fields, type Format, type Inheritance, LEFT, OPTION_FIELDS, SHARED_STOCK } from './format.ts';

/** Products that have variations. WooCommerce Subscriptions has types of its own. */
const WITH_VARIATIONS = ['variable', 'variable-subscription'];
const VARIATIONS = ['variation', 'subscription_variation'];
/** Products that are not sold themselves. */
const NOT_SOLD = ['grouped', 'external'];
/** The value of an attribute that a variation leaves to the buyer. */
const ANY = 'Any';

/** `variation, virtual`: the first is the type, the others say more of it. */
function typeOf({ type }: Fields): string {
  return (type ?? '').replace(/,.*/s, '').trim();
}

function taxClassOf({ tax_class }: Fields, product: Fields): string | undefined {
  return tax_class === 'parent' ? product.tax_class : tax_class;
}

/**
 * WooCommerce shows a variation with what its product has where the variation has none, and writes `parent` where it shares the
 * product's tax class or stock.
 */
const variations: Inheritance = {
  by: ['parent'],
  referencesTo: (fields) =>
    WITH_VARIATIONS.includes(typeOf(fields))
      ? [...(fields.sku === undefined ? [] : [fields.sku]), ...(fields.id === undefined ? [] : [`id:${fields.id}`])]
      : [],
  referenceIn: (fields) => (VARIATIONS.includes(typeOf(fields)) ? (fields.parent ?? '') : undefined),
  keeps: [
    'name',
    'description',
    'seo_title',
    'seo_description',
    'categories',
    'images',
    'tax_class',
    'status',
    'stock',
    'untracked',
  ],
  /** A shared stock is left out: each variation would have all of it. */
  inherit(fields, product) {
    const { stock, tax_class: _, ...own } = fields;
    const next: Fields = { ...own };
    if (stock !== undefined && stock !== 'parent') next.stock = stock;
    const taxClass = taxClassOf(fields, product);
    if (taxClass !== undefined) next.tax_class = taxClass;
    for (const field of ['categories', 'images'] as const) {
      const text = fields[field] ?? product[field];
      if (text !== undefined) next[field] = text;
    }
    if (product.status !== undefined && product.status !== 'active') next.status = product.status;
    return next;
  },
  join(fields, product) {
    if (product === null) return null;
    const { stock, untracked, ...parent } = product;
    const own: Fields = { ...fields };
    const taxClass = taxClassOf(fields, product);
    delete own.tax_class;
    if (taxClass !== undefined) own.tax_class = taxClass;
    if (fields.stock === 'parent') {
      delete own.stock;
      own.untracked = untracked ?? 'no';
      // All of it goes to one variation: with a part for each, nobody could say which.
      if (stock !== undefined && own.untracked === 'no') own[SHARED_STOCK] = stock;
    }
    for (const { name, value } of OPTION_FIELDS) {
      if (own[name] === undefined) continue;
      // A comma that does not separate values is written with a backslash.
      own[value] = own[value]?.replaceAll('\\,', ',') ?? ANY;
    }
    // «Cup - Red» of the product «Cup»: a variation without attributes is told apart by its name.
    const title = own.name?.startsWith(product.name ?? '\0') ? own.name.slice(product.name!.length) : own.name;
    if (title !== undefined) own.title = title.replace(/^\s*[-–—:]\s*/, '');
    return { own, parent };
  },
};

/**
 * Products → Export. Variations have their own rows, whose names contain the parent's name and their attributes. The headers are in the
 * language of the site: here those of English, German, French, Spanish, Italian and Dutch.
 */
export const woocommerceProducts: Format = {
  name: 'woocommerce-products',
  title: 'WooCommerce products',
  kind: 'products',
  columns: [
    column('id', 'ID'),
    column('parent', 'Parent', 'Übergeordnetes Produkt', 'Superior', 'Genitore', 'Hoofd'),
    column('type', 'Type', 'Typ', 'Tipo'),
    column('sku', 'SKU', 'Artikelnummer', 'UGS'),
    column('name', 'Name', 'Nom', 'Nombre', 'Nome', 'Naam'),
    column('published', 'Published', 'Veröffentlicht', 'Publié', 'Publicado', 'Pubblicato', 'Gepubliceerd'),
    column('description', 'Description', 'Beschreibung', 'Descripción', 'Descrizione', 'Beschrijving'),
    column(
      'short_description',
      'Short description',
      'Kurzbeschreibung',
      'Description courte',
      'Descripción corta',
      'Breve descrizione',
      'Korte beschrijving',
    ),
    column(
      'sale_from',
      'Date sale price starts',
      'Datum, an dem Angebotspreis beginnt',
      'Date de début de promo',
      'Día en que empieza el precio rebajado',
      'Data di inizio del prezzo in offerta',
      'Startdatum actieprijs',
    ),
    column(
      'sale_to',
      'Date sale price ends',
      'Datum, an dem Angebotspreis endet',
      'Date de fin de promo',
      'Día en que termina el precio rebajado',
      'Data di fine del prezzo in offerta',
      'Einddatum actieprijs',
    ),
    column(
      'tax_class',
      'Tax class',
      'Steuerklasse',
      'Classe de TVA',
      'Clase de impuesto',
      'Aliquota di imposta',
      'Belastingklasse',
    ),
    column('stock', 'Stock', 'Lager', 'Bestand', 'Inventario', 'Magazzino', 'Voorraad'),
    column('in_stock', 'In stock?', 'Vorrätig?', 'En stock ?', '¿En inventario?', '¿Existencias?', 'Op voorraad?'),
    column(
      'oversell',
      'Backorders allowed?',
      'Lieferrückstande erlaubt?',
      'Rückstände erlaubt?',
      'Autoriser les commandes de produits en rupture ?',
      '¿Permitir reservas de productos agotados?',
      'Nabestellingen toestaan?',
    ),
    column(
      'sale_price',
      'Sale price',
      'Angebotspreis',
      'Tarif promo',
      'Precio rebajado',
      'Prezzo in offerta',
      'Actieprijs',
    ),
    column(
      'price',
      'Regular price',
      'Regulärer Preis',
      'Tarif régulier',
      'Precio normal',
      'Prezzo di listino',
      'Reguliere prijs',
    ),
    column('categories', 'Categories', 'Kategorien', 'Catégories', 'Categorías', 'Categorie', 'Categorieën'),
    // Of the plug-ins Yoast SEO and Rank Math.
    column('seo_title', 'Meta: _yoast_wpseo_title', 'Meta: rank_math_title'),
    column('seo_description', 'Meta: _yoast_wpseo_metadesc', 'Meta: rank_math_description'),
    column('images', 'Images', 'Bilder', 'Imágenes', 'Immagini', 'Afbeeldingen'),
    column(
      'barcode',
      'GTIN, UPC, EAN, or ISBN',
      'GTIN, UPC, EAN oder ISBN',
      'GTIN, UPC, EAN ou ISBN',
      'GTIN, UPC, EAN o ISBN',
      'GTIN, UPC, EAN of ISBN',
      'GTIN',
    ),
    ...OPTION_FIELDS.flatMap(({ name, value }, i) => attribute(name, value, i + 1)),
  ],
  read(fields: Fields): Fields {
    const next: Fields = { ...fields };
    const type = typeOf(fields);
    if (NOT_SOLD.includes(type)) next.skip = `A ${type} product is not sold itself`;
    if (WITH_VARIATIONS.includes(type)) {
      next.parent_row = `A ${type} product is not sold itself`;
      if (fields.sku !== undefined) next[LEFT] = 'sku';
    } else if (!VARIATIONS.includes(type)) {
      const left = OPTION_FIELDS.flatMap(({ name, value }) => [name, value]).filter((one) => fields[one] !== undefined);
      for (const one of left) delete next[one];
      if (left.length > 0) next[LEFT] = left.join();
    }
    if (fields.description === undefined && fields.short_description !== undefined) {
      next.description = fields.short_description;
    }
    // Where a plug-in makes the text from a pattern, as `%%title%% %%sep%% %%sitename%%`, the product's name says as much.
    for (const one of ['seo_title', 'seo_description'] as const) if (/%\w+%/.test(next[one] ?? '')) delete next[one];
    // 1 published, 0 private, -1 a draft.
    const { published } = fields;
    if (published !== undefined) next.status = published === '1' ? 'active' : published === '-1' ? 'draft' : 'archived';
    delete next.published;
    // In stock without a number, or sold below zero.
    const isCounted = fields.stock !== undefined && fields.stock !== 'parent';
    if (
      /^(?:1|notify|yes)$/i.test(fields.oversell ?? '') ||
      (!isCounted && /^(?:1|yes|instock|backorder)$/i.test(fields.in_stock ?? ''))
    ) {
      next.untracked = 'yes';
    } else if (isCounted) next.untracked = 'no';
    return next;
  },
  inheritance: variations,
};

/** The name and the values of an attribute: a variation has one value. */
function attribute(name: string, value: string, n: number) {
  return [
    column(
      name,
      `Attribute ${n} name`,
      `Attribut ${n} Name`,
      `Nom de l’attribut ${n}`,
      `Nombre del atributo ${n}`,
      `Nome dell'attributo ${n}`,
      `Naam eigenschap ${n}`,
    ),
    column(
      value,
      `Attribute ${n} value(s)`,
      `Attribut ${n} Wert(e)`,
      `Valeur(s) de l’attribut ${n}`,
      `Valor(es) del atributo ${n}`,
      `Valore(i) dell'attributo ${n}`,
      `Waarde(n) eigenschap ${n}`,
    ),
  ];
}
