/** A field of a contact in a rule, for both the evaluation and the SQL form. */
export type ContactField = OwnField | LookedUpField;

/** What only the database can decide: it is not in the contact's record. */
export type LookedUpField = HistoryField | CustomerField;

/** A field of the contact's own row, or of its memberships. */
export type OwnField =
  | { kind: 'text'; column: 'email' | 'first_name' | 'last_name' | 'phone' | 'external_id' | 'source' | 'status' }
  /** A moment to the second, as text `YYYY-MM-DD HH:MM:SS`. */
  | { kind: 'time'; column: 'created_at' | 'updated_at' }
  | { kind: 'id' }
  | { kind: 'tags' }
  /** The lists on which the contact's membership is active. */
  | { kind: 'lists' }
  | { kind: 'property'; path: string[] };

/** A custom field of the customer that the contact is. */
export interface CustomerField {
  kind: 'custom';
  key: string;
}

/** A measure of what the contact did or received. */
export interface HistoryField {
  kind: 'history';
  source: HistorySource;
  measure: Measure;
}

export type HistorySource = { of: 'events'; eventType: string } | { of: 'messages'; activity: MessageActivity };

export const MESSAGE_ACTIVITIES = ['received', 'opened', 'clicked'] as const;
export type MessageActivity = (typeof MESSAGE_ACTIVITIES)[number];

/** Measures of any history. */
const OF_ANYTHING = ['count', 'first_at', 'last_at', 'days_since_first', 'days_since_last'] as const;
/** Measures of orders only: amounts, intervals, and RFM scores. */
const OF_PURCHASES = [
  'total',
  'net',
  'days_between',
  'next_expected_at',
  'days_until_next',
  'rfm.recency',
  'rfm.frequency',
  'rfm.monetary',
  'rfm.class',
] as const;
/** What was bought: a set, like the tags and lists of a contact. */
export const BOUGHT = ['product_ids', 'collection_ids', 'categories', 'skus'] as const;
export type Bought = (typeof BOUGHT)[number];
export type Measure = (typeof OF_ANYTHING)[number] | (typeof OF_PURCHASES)[number] | Bought;

/** `count` is 0 without a history; the other kinds are missing then. */
export type MeasureKind = 'count' | 'number' | 'moment' | 'class' | 'ids' | 'names';

export function kindOfMeasure(measure: Measure): MeasureKind {
  switch (measure) {
    case 'count':
    case 'total':
    case 'net':
      return 'count';
    case 'first_at':
    case 'last_at':
    case 'next_expected_at':
      return 'moment';
    case 'rfm.class':
      return 'class';
    case 'product_ids':
    case 'collection_ids':
      return 'ids';
    case 'categories':
    case 'skus':
      return 'names';
    default:
      return 'number';
  }
}

export function isBought(measure: Measure): measure is Bought {
  return (BOUGHT as readonly Measure[]).includes(measure);
}

/** Whether `within_days` can limit the history. */
export function takesDays({ measure }: HistoryField): boolean {
  return kindOfMeasure(measure) === 'count' || isBought(measure);
}

/** Whether `where` can filter the measured events: not `net`, since events of refunds have other data than those of orders. */
export function isFilterable({ source, measure }: HistoryField): boolean {
  return source.of === 'events' && (measure === 'total' || (OF_ANYTHING as readonly Measure[]).includes(measure));
}

const PLAIN = new Map<string, OwnField>([
  ...(['email', 'first_name', 'last_name', 'phone', 'external_id', 'source', 'status'] as const).map(
    (column) => [column, { kind: 'text', column }] as [string, OwnField],
  ),
  ['created_at', { kind: 'time', column: 'created_at' }],
  ['updated_at', { kind: 'time', column: 'updated_at' }],
  ['contact_id', { kind: 'id' }],
  ['tags', { kind: 'tags' }],
  ['list_ids', { kind: 'lists' }],
]);
const HISTORY = new Map<string, HistoryField>([
  ...[...OF_ANYTHING, ...OF_PURCHASES, ...BOUGHT].map((measure): [string, HistoryField] => [
    `purchases.${measure}`,
    { kind: 'history', source: { of: 'events', eventType: 'order_placed' }, measure },
  ]),
  ...MESSAGE_ACTIVITIES.flatMap((activity) =>
    OF_ANYTHING.map((measure): [string, HistoryField] => [
      `messages.${activity}.${measure}`,
      { kind: 'history', source: { of: 'messages', activity }, measure },
    ]),
  ),
]);
/** The keys that custom fields may have. */
const CUSTOM = /^custom\.[a-z][a-z0-9_]*$/;
const OF_EVENTS = new RegExp(`^events\\.([^.]+)\\.(${OF_ANYTHING.join('|')})$`);

/** The field of that name, with or without a leading `contact.`; null if there is none. */
export function parseContactField(name: string): ContactField | null {
  const field = name.startsWith('contact.') ? name.slice('contact.'.length) : name;
  if (field.startsWith('properties.')) return { kind: 'property', path: field.split('.').slice(1) };
  if (CUSTOM.test(field)) return { kind: 'custom', key: field.slice('custom.'.length) };
  const known = PLAIN.get(field) ?? HISTORY.get(field);
  if (known !== undefined) return known;
  const [, eventType, measure] = OF_EVENTS.exec(field) ?? [];
  if (eventType === undefined) return null;
  return { kind: 'history', source: { of: 'events', eventType }, measure: measure as Measure };
}

/** Whether the field, in a rule on an event and its contact, is a `LookedUpField`. */
export function isLookedUp(name: string): boolean {
  return /^contact\.(?:events|purchases|messages|custom)\./.test(name);
}
