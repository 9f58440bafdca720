/** What a rule's field of a contact is, as both the evaluation and the SQL form need to know. */
export type ContactField =
  | { kind: 'text'; column: 'email' | 'first_name' | 'last_name' | 'phone' | 'external_id' | 'source' | 'status' }
  /** A moment, to the second, as a text `YYYY-MM-DD HH:MM:SS`. */
  | { kind: 'time'; column: 'created_at' | 'updated_at' }
  | { kind: 'id' }
  | { kind: 'tags' }
  /** The lists on which the contact's membership is active. */
  | { kind: 'lists' }
  | { kind: 'property'; path: string[] }
  /** How many events of the type the contact has; only in segments. */
  | { kind: 'count'; eventType: string }
  /** What the contact's orders (order_placed) come to; only in segments. */
  | { kind: 'total' };

const PLAIN = new Map<string, ContactField>([
  ...(['email', 'first_name', 'last_name', 'phone', 'external_id', 'source', 'status'] as const).map(
    (column) => [column, { kind: 'text', column }] as [string, ContactField],
  ),
  ['created_at', { kind: 'time', column: 'created_at' }],
  ['updated_at', { kind: 'time', column: 'updated_at' }],
  ['contact_id', { kind: 'id' }],
  ['tags', { kind: 'tags' }],
  ['list_ids', { kind: 'lists' }],
]);
const COUNTED = new Map<string, ContactField>([
  ['purchases.count', { kind: 'count', eventType: 'order_placed' }],
  ['purchases.total', { kind: 'total' }],
]);

/** The field of that name, with or without `contact.` before it; null where there is none. */
export function parseContactField(name: string, inSegment: boolean): ContactField | null {
  const field = name.startsWith('contact.') ? name.slice('contact.'.length) : name;
  if (field.startsWith('properties.')) return { kind: 'property', path: field.split('.').slice(1) };
  const plain = PLAIN.get(field);
  if (plain !== undefined || !inSegment) return plain ?? null;
  const event = /^events\.([^.]+)\.count$/.exec(field);
  return event === null ? (COUNTED.get(field) ?? null) : { kind: 'count', eventType: event[1]! };
}
