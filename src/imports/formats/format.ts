/** What an import makes. */
export const KINDS = ['contacts', 'customers', 'products', 'orders'] as const;
export type Kind = (typeof KINDS)[number];

/** The texts of a row by field; fields without a text are absent. */
export type Fields = Record<string, string>;

/** Contacts take any column as a property of their own: `property:NAME`. */
export const PROPERTY = 'property:';

/** A column as its service writes it. */
export interface Column {
  /** The header, and those of older exports; compared without regard to case, spaces and punctuation. */
  headers: readonly string[];
  field: string;
}

/** A service's export as data: which column is which field. */
export interface Format {
  name: string;
  title: string;
  kind: Kind;
  columns: readonly Column[];
  /** Rows that follow each other with the same value here are one record. */
  groupBy?: string;
  /** Of its times that say no other; the company's where absent. */
  timeZone?: 'UTC';
  /** Before the decimals of its numbers, where they say no other; as people of the company's country write where absent. */
  separator?: 'point';
  /** Columns that the table does not name become properties of the contact. */
  keepsOthers?: true;
  /** Columns that are the service's own and no property. */
  drops?: readonly string[];
  /** The fields as this service means them. */
  read?: (fields: Fields) => Fields;
  /** Absent where each row says all of its record, or stands with the others of it. */
  inheritance?: Inheritance;
}

/** How rows take fields from an earlier row that they refer to, as variations do from their product. */
export interface Inheritance {
  /** The references by which later rows can name this row. */
  referencesTo(fields: Fields): string[];
  /** The reference in this row; undefined where it takes nothing from another. */
  referenceIn(fields: Fields): string | undefined;
  /** Fields that are kept of a row for later ones. */
  keeps: readonly string[];
  /** The fields of a row with those that it takes; `from` is empty where no earlier row has the reference. */
  inherit(fields: Fields, from: Fields): Fields;
}

const ADDRESS = ['address', 'address_2', 'city', 'state', 'zip', 'country'] as const;
/** One without these is none: services fill in the country by themselves. */
const PLACE = ['address', 'city', 'zip'] as const;

/** Whether the address, whose fields begin with `prefix`, says where somebody lives. */
export function hasAddress(fields: Fields, prefix: string): boolean {
  return PLACE.some((part) => fields[prefix + part] !== undefined);
}

/** The fields with the billing address where they have no other: never with parts of both. */
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
