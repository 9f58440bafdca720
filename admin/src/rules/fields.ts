import { classOf, comparisonsOfType, type ValueClass } from '../../../src/commerce/collections/custom-rules.ts';
import { fieldsWithKey, parseProductField } from '../../../src/commerce/collections/rules.ts';
import type { CustomField as Definition } from '../../../src/commerce/custom-fields/definition.ts';
import type { Subject as MarketingSubject } from '../../../src/marketing/rules/check.ts';
import type { Comparison } from '../../../src/rules/language.ts';

/** A custom field of products, variants or customers. */
export type CustomField = Pick<Definition, 'on' | 'key' | 'name' | 'type' | 'rules'>;

/** Products, with their custom fields and those of variants; null where these are not known. */
export interface Products {
  customFields: readonly CustomField[] | null;
}

/** What rules are about. */
export type Subject = MarketingSubject | Products;

export function isProducts(subject: Subject): subject is Products {
  return typeof subject === 'object';
}

import {
  type HistoryField,
  takesDays as historyTakesDays,
  isFilterable,
  kindOfMeasure,
  MESSAGE_ACTIVITIES,
  type Measure,
  parseContactField,
} from '../../../src/marketing/rules/fields.ts';

/** Kind of a field's values: determines the comparisons and the input of a value. */
export type Kind =
  /** Fields of the contact's own row. */
  | 'text'
  | 'status'
  | 'time'
  | 'id'
  | 'tag'
  | 'list'
  | 'product'
  | 'collection'
  /** Yes or no. */
  | 'flag'
  /** One of the choices of a custom field. */
  | 'choice'
  /** Properties and data of events, which have no declared type. */
  | 'any'
  /** What a contact did or received. */
  | 'count'
  | 'amount'
  | 'number'
  | 'score'
  | 'moment'
  | 'class';

/** The chosen subject of a rule: `email`, `properties`, `purchases`, `messages.opened`, `events.TYPE`, `data`; of products `price`, `option`, `custom.KEY`. */
export type Source = string;

export interface Field {
  source: Source;
  /** For a history. */
  measure: Measure | null;
  /** For `properties`, the data of an event, and `option`. */
  path: string;
  kind: Kind;
  history: HistoryField | null;
  custom?: OfCustomField;
}

/** What a custom field adds: its name, the comparisons that fit its type, and its choices. */
interface OfCustomField {
  name: string;
  comparisons: readonly Comparison[];
  choices: readonly string[];
}

export const CONTACT_FIELDS = {
  email: 'text',
  first_name: 'text',
  last_name: 'text',
  phone: 'text',
  status: 'status',
  tags: 'tag',
  list_ids: 'list',
  created_at: 'time',
  updated_at: 'time',
  source: 'text',
  external_id: 'text',
  contact_id: 'id',
} as const satisfies Record<string, Kind>;

export const PRODUCT_FIELDS = {
  name: 'text',
  price: 'amount',
  categories: 'tag',
  sku: 'text',
  tax_class: 'text',
  subscription_enabled: 'flag',
  created_at: 'time',
} as const satisfies Record<string, Kind>;

const OF_ANYTHING = ['count', 'last_at', 'days_since_last', 'first_at', 'days_since_first'] as const;
const OF_ORDERS = [
  ...(['count', 'total', 'net', 'last_at', 'days_since_last', 'first_at', 'days_since_first'] as const),
  ...(['days_between', 'days_until_next', 'next_expected_at'] as const),
  ...(['product_ids', 'collection_ids', 'categories', 'skus'] as const),
  ...(['rfm.class', 'rfm.recency', 'rfm.frequency', 'rfm.monetary'] as const),
] satisfies Measure[];

export const MESSAGE_SOURCES: readonly Source[] = MESSAGE_ACTIVITIES.map((activity) => `messages.${activity}`);

/** The measures of a history, the most common ones first; none for other sources. */
export function measuresOf(source: Source): readonly Measure[] {
  if (source === 'purchases') return OF_ORDERS;
  return source.startsWith('messages.') || source.startsWith('events.') ? OF_ANYTHING : [];
}

/** Returns the API's name of the field. For a history, its first measure is the default. */
export function fieldNamed(subject: Subject, source: Source, detail = ''): string {
  if (source === 'data') return detail;
  if (isProducts(subject)) return source === 'option' ? `option.${detail}` : source;
  const measures = measuresOf(source);
  const name =
    measures.length > 0
      ? `${source}.${(measures as readonly string[]).includes(detail) ? detail : measures[0]}`
      : source === 'properties'
        ? `properties.${detail}`
        : source;
  return subject === 'event' ? `contact.${name}` : name;
}

/**
 * Parses the field of a rule on that subject; null where the builder does not know it. `ofCustomers` are the custom fields that contacts
 * have as customers; a field that is not among them takes any value.
 */
export function readField(name: unknown, subject: Subject, ofCustomers: readonly CustomField[] = []): Field | null {
  if (typeof name !== 'string') return null;
  if (isProducts(subject)) return readProductField(name, subject);
  const ofContact = name.startsWith('contact.');
  if (subject === 'data' || (subject === 'event' && !ofContact)) {
    return { source: 'data', measure: null, path: name, kind: 'any', history: null };
  }
  const plain = ofContact ? name.slice('contact.'.length) : name;
  if (plain.startsWith('properties.')) {
    return { source: 'properties', measure: null, path: plain.slice('properties.'.length), kind: 'any', history: null };
  }
  const parsed = parseContactField(plain);
  if (parsed === null) return null;
  if (parsed.kind === 'custom') {
    const field = { measure: null, history: null, source: plain, path: '' };
    const found = ofCustomers.filter(({ key }) => key === parsed.key);
    return found.length === 0 ? { ...field, kind: 'any' } : { ...field, ...typedBy(found) };
  }
  if (parsed.kind !== 'history') {
    const kind = CONTACT_FIELDS[plain as keyof typeof CONTACT_FIELDS];
    return { source: plain, measure: null, path: '', kind, history: null };
  }
  const source = plain.slice(0, plain.length - parsed.measure.length - 1);
  return { source, measure: parsed.measure, path: '', kind: kindOf(parsed.measure), history: parsed };
}

const KIND_OF_CLASS: Record<ValueClass, Kind> = {
  text: 'text',
  number: 'number',
  boolean: 'flag',
  date: 'moment',
  moment: 'moment',
  id: 'id',
};

function kindOfType(type: CustomField['type']): Kind {
  switch (type) {
    case 'choice':
    case 'product':
    case 'collection':
      return type;
    case 'money':
      return 'amount';
    default:
      return KIND_OF_CLASS[classOf(type)];
  }
}

/** What the definitions with one key say of its values. */
function typedBy(definitions: readonly CustomField[]): Pick<Field, 'kind'> & { custom: OfCustomField } {
  const [one, ...others] = definitions;
  const comparisons = definitions.flatMap(({ type }) => comparisonsOfType(type));
  const choices = definitions.flatMap(({ rules }) => rules.choices ?? []);
  const kind = others.some(({ type }) => type !== one!.type) ? 'any' : kindOfType(one!.type);
  const custom = { name: one!.name, comparisons: [...new Set(comparisons)], choices: [...new Set(choices)] };
  return { kind, custom };
}

function readProductField(name: string, { customFields }: Products): Field | null {
  const parsed = parseProductField(name);
  if (parsed === null) return null;
  const field = { measure: null, history: null };
  if (parsed.kind === 'custom') {
    // Products have it before variants.
    const found = fieldsWithKey(customFields ?? [], parsed.key);
    if (found.length > 0) return { ...field, source: name, path: '', ...typedBy(found) };
    return customFields === null ? { ...field, source: name, path: '', kind: 'any' } : null;
  }
  if (parsed.kind === 'option') return { ...field, source: 'option', path: parsed.name, kind: 'text' };
  return { ...field, source: name, path: '', kind: PRODUCT_FIELDS[name as keyof typeof PRODUCT_FIELDS] };
}

function kindOf(measure: Measure): Kind {
  if (measure === 'total' || measure === 'net') return 'amount';
  const kind = kindOfMeasure(measure);
  if (kind === 'ids') return measure === 'product_ids' ? 'product' : 'collection';
  if (kind === 'names') return 'tag';
  return measure.startsWith('rfm.') && kind !== 'class' ? 'score' : kind;
}

/** Whether the field may have `within_days`. */
export function takesDays({ history }: Field): boolean {
  return history !== null && historyTakesDays(history);
}

/** Whether the field may have `where`. */
export function takesWhere({ history }: Field): boolean {
  return history !== null && isFilterable(history);
}
