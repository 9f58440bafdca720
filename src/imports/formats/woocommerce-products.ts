import { column, type Fields, type Format, type Inheritance } from './format.ts';

/** Products that have variations. WooCommerce Subscriptions has types of its own. */
const WITH_VARIATIONS = ['variable', 'variable-subscription'];
const VARIATIONS = ['variation', 'subscription_variation'];
/** Products that are not sold themselves. */
const NOT_SOLD = [...WITH_VARIATIONS, 'grouped', 'external'];

/** `variation, virtual`: the first is the type, the others say more of it. */
function typeOf({ type }: Fields): string {
  return (type ?? '').replace(/,.*/s, '').trim();
}

/**
 * WooCommerce shows a variation with what its product has where the variation has none, and writes `parent` where it shares the
 * product's tax class or stock. A shared stock is left out: each variation would have all of it.
 */
const variations: Inheritance = {
  referencesTo: (fields) =>
    WITH_VARIATIONS.includes(typeOf(fields))
      ? [...(fields.sku === undefined ? [] : [fields.sku]), ...(fields.id === undefined ? [] : [`id:${fields.id}`])]
      : [],
  referenceIn: (fields) => (VARIATIONS.includes(typeOf(fields)) ? (fields.parent ?? '') : undefined),
  keeps: ['categories', 'images', 'tax_class', 'archived'],
  inherit(fields, product) {
    const { stock, tax_class, ...own } = fields;
    const next: Fields = { ...own };
    if (stock !== undefined && stock !== 'parent') next.stock = stock;
    const taxClass = tax_class === 'parent' ? product.tax_class : tax_class;
    if (taxClass !== undefined) next.tax_class = taxClass;
    for (const field of ['categories', 'images'] as const) {
      const text = fields[field] ?? product[field];
      if (text !== undefined) next[field] = text;
    }
    if (product.archived === 'yes') next.archived = 'yes';
    return next;
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
    column('images', 'Images', 'Bilder', 'Imágenes', 'Immagini', 'Afbeeldingen'),
  ],
  read(fields: Fields): Fields {
    const next: Fields = { ...fields };
    const type = typeOf(fields);
    if (NOT_SOLD.includes(type)) next.skip = `A ${type} product is not sold itself`;
    if (fields.description === undefined && fields.short_description !== undefined) {
      next.description = fields.short_description;
    }
    // 1 published, 0 private, -1 a draft.
    if (fields.published !== undefined) next.archived = fields.published === '1' ? 'no' : 'yes';
    delete next.published;
    // In stock without a number, or sold below zero.
    const isCounted = fields.stock !== undefined && fields.stock !== 'parent';
    if (
      /^(?:1|notify|yes)$/i.test(fields.oversell ?? '') ||
      (!isCounted && /^(?:1|yes|instock|backorder)$/i.test(fields.in_stock ?? ''))
    ) {
      next.untracked = 'yes';
    }
    return next;
  },
  inheritance: variations,
};
