/** The kinds of records that an import creates. */
export const KINDS = ['contacts', 'customers', 'products', 'orders'] as const;
export type Kind = (typeof KINDS)[number];

/** The texts of a row by field; fields without a text are absent. */
export type Fields = Record<string, string>;

/** Contacts accept any column as a property: `property:NAME`. */
export const PROPERTY = 'property:';

/** A column of a service's export. */
export interface Column {
  /**
   * The header, and those of older exports; case, spaces and punctuation are ignored when comparing. `{currency}` stands for the code of the
   * company's currency.
   */
  headers: readonly string[];
  field: string;
}

/** Describes a service's export: which column is which field. */
export interface Format {
  name: string;
  title: string;
  kind: Kind;
  columns: readonly Column[];
  /** Consecutive rows with the same value in this field are one record. */
  groupBy?: string;
  /** Time zone of times that do not state one; the company's if absent. */
  timeZone?: 'UTC';
  /** Decimal separator of ambiguous numbers; that of the company's country if absent. */
  separator?: 'point';
  /** Columns that are not listed become properties of the contact. */
  keepsOthers?: true;
  /** Columns that belong to the service itself and become no property. */
  drops?: readonly string[];
  /** Converts the fields to what the service means by them. `has` says whether a column is mapped to a field. */
  read?: (fields: Fields, has: (field: string) => boolean) => Fields;
  /** Set if rows take fields from other rows, anywhere in the file. */
  inheritance?: Inheritance;
}

/** How rows take fields from another row that they refer to, as variants do from their product. */
export interface Inheritance {
  /** The fields that refer to another row: without a column for one of them, each row stands alone. */
  by: readonly string[];
  /** The references by which other rows can name this row. */
  referencesTo(fields: Fields): string[];
  /** The reference in this row, empty if it is not given; undefined if the row takes nothing from another. */
  referenceIn(fields: Fields): string | undefined;
  /** Fields that are kept of a row for others. */
  keeps: readonly string[];
  /** For separate products: the fields of a row with those that it takes; `from` is empty if the row has no reference. */
  inherit?(fields: Fields, from: Fields): Fields;
  /**
   * For products with variants: the fields of a variant, and those of its product, whose row is null if the file has none. Returns null if
   * that row is needed.
   */
  join(fields: Fields, product: Fields | null): { own: Fields; parent: Fields } | null;
}

/** The fields of a row that have a column but no place in the record, joined by commas: the check counts them as not kept. */
export const LEFT = '#left';

/** A stock that all variants of a product share: the first that is admitted gets it. */
export const SHARED_STOCK = '#shared_stock';

/** The option fields of a variant, in the order of its options. */
export const OPTION_FIELDS = Array.from({ length: 10 }, (_, i) => ({
  name: `option${i + 1}_name`,
  value: `option${i + 1}_value`,
}));

const ADDRESS = ['address', 'address_2', 'city', 'state', 'zip', 'country'] as const;
/** An address without any of these is none: services fill in the country by themselves. */
const PLACE = ['address', 'city', 'zip'] as const;

/** Returns whether the address, whose fields begin with `prefix`, says where somebody lives. */
export function hasAddress(fields: Fields, prefix: string): boolean {
  return PLACE.some((part) => fields[prefix + part] !== undefined);
}

/** Returns the fields with the billing address if there is no other; never mixes parts of both. */
export function withBillingAddress(fields: Fields): Fields {
  if (hasAddress(fields, '') || !hasAddress(fields, 'billing_')) return fields;
  const next: Fields = { ...fields };
  for (const part of ADDRESS) {
    const billed = fields[`billing_${part}`];
    if (billed === undefined) delete next[part];
    else next[part] = billed;
  }
  return next;
}

export function column(field: string, ...headers: string[]): Column {
  return { field, headers };
}
