/** What can have custom fields. Carts use those of orders. */
export const CUSTOM_FIELD_OWNERS = ['product', 'variant', 'collection', 'customer', 'order'] as const;
export type CustomFieldOwner = (typeof CUSTOM_FIELD_OWNERS)[number];

export const CUSTOM_FIELD_TYPES = [
  'text',
  'long_text',
  'integer',
  'decimal',
  'boolean',
  'date',
  'moment',
  'choice',
  'url',
  'color',
  'weight',
  'length',
  'money',
  'media',
  'product',
  'collection',
] as const;
export type CustomFieldType = (typeof CUSTOM_FIELD_TYPES)[number];

/** Types whose values are ids of records. */
export const REFERENCE_TYPES = ['media', 'product', 'collection'] as const satisfies readonly CustomFieldType[];
export type ReferenceType = (typeof REFERENCE_TYPES)[number];

/** Types of fields of products and variants that can be filters. */
export const FILTERABLE_TYPES: readonly CustomFieldType[] = ['text', 'integer', 'decimal', 'boolean', 'choice'];

/** The rules that fields of each type can have. */
export const RULES_OF: Record<CustomFieldType, readonly (keyof CustomFieldRules)[]> = {
  text: ['max_length'],
  long_text: ['max_length'],
  integer: ['min', 'max'],
  decimal: ['min', 'max'],
  boolean: [],
  date: ['min', 'max'],
  moment: ['min', 'max'],
  choice: ['choices'],
  url: ['max_length'],
  color: [],
  weight: ['min', 'max'],
  length: ['min', 'max'],
  money: ['min', 'max'],
  media: [],
  product: [],
  collection: [],
};

export const KEY_PATTERN = '^[a-z][a-z0-9_]*$';
export const MAX_KEY_LENGTH = 60;
/** Definitions of one owner. */
export const MAX_FIELDS = 256;
/** Values of a field with `list`. */
export const MAX_VALUES = 50;
export const MAX_CHOICES = 200;
export const MAX_CHOICE_LENGTH = 100;
/** Characters of a value without a `max_length`, which is no longer. */
export const MAX_LENGTHS = { text: 1_000, long_text: 10_000, url: 2_000 } as const;
/** All values of a record as JSON, because lists show a hundred records with theirs. */
export const MAX_CHARACTERS = 32_768;

export interface CustomFieldRules {
  /** A number, or a date or moment as text. */
  min?: number | string;
  max?: number | string;
  max_length?: number;
  choices?: string[];
}

/** The definition of a custom field. */
export interface CustomField {
  id: number;
  on: CustomFieldOwner;
  key: string;
  name: string;
  type: CustomFieldType;
  list: boolean;
  required: boolean;
  rules: CustomFieldRules;
  visible: 'staff' | 'store';
  filterable: boolean;
  position: number;
}

export type CustomScalar = string | number | boolean;
export type CustomValue = CustomScalar | CustomScalar[];
/** The values of a record by key, as the API shows them and as they are stored. */
export type CustomValues = Record<string, CustomValue>;
