import { FIRST_NAMES, LAST_NAMES } from '../../names.ts';
import type { Row } from '../row.ts';
import { type FilledShop, momentOf, type SpanOfShop } from '../shop.ts';

const CITIES = ['Utrecht', 'Berlin', 'Porto', 'Split', 'Gent'];
const PLANS = ['free', 'free', 'basic', 'pro'];
const SOURCES = ['web', 'shop', 'import'];

const firstNameOf = (n: number): string => FIRST_NAMES[n % FIRST_NAMES.length]!;
const lastNameOf = (n: number): string => LAST_NAMES[n % LAST_NAMES.length]!;

/** The address of the n-th contact, and of the n-th customer. */
export function emailOf(n: number): string {
  return `${firstNameOf(n)}.${lastNameOf(n)}${n}@mail-${n % 97}.example`.toLowerCase();
}

export const CONTACT_COLUMNS = [
  ...['company_id', 'id', 'external_id', 'email', 'phone', 'first_name', 'last_name', 'source', 'tags', 'properties'],
  ...['email_consent', 'email_bounced', 'search', 'created_at', 'updated_at'],
];

/** One in twenty has unsubscribed, one in fifty bounced. The first have the ids of customers. */
export function* contactRows(row: Row, { companyId, contacts, customers, from }: FilledShop): Generator<void> {
  for (let n = 0; n < contacts.count; n++) {
    const [first, last, email] = [firstNameOf(n), lastNameOf(n), emailOf(n)];
    const at = from.getTime() + n;
    row.int8(companyId).int8(contacts.first + n);
    row.text(n < customers.count ? String(customers.first + n) : null).text(email);
    row
      .text(`+31${600_000_000 + n}`)
      .text(first)
      .text(last)
      .text(SOURCES[n % 3]!);
    row.texts(n % 10 === 0 ? ['vip', 'newsletter'] : n % 3 === 0 ? ['newsletter'] : []);
    row.jsonb(`{"plan": "${PLANS[n % 4]}", "age": ${18 + (n % 60)}, "city": "${CITIES[n % 5]}"}`);
    row.text(n % 20 === 7 ? 'unsubscribed' : 'subscribed').bool(n % 50 === 9);
    row.text(`${first} ${last}\n${email}`.toLowerCase()).timestamptz(at).timestamptz(at);
    yield;
  }
}

export const CUSTOMER_COLUMNS = [
  ...['company_id', 'id', 'email', 'first_name', 'last_name', 'phone', 'accepts_marketing', 'address', 'city', 'zip'],
  ...['country', 'search', 'created_at', 'updated_at'],
];

export function* customerRows(row: Row, { companyId, customers, from }: FilledShop): Generator<void> {
  for (let n = 0; n < customers.count; n++) {
    const [first, last, email] = [firstNameOf(n), lastNameOf(n), emailOf(n)];
    const at = from.getTime() + n;
    row
      .int8(companyId)
      .int8(customers.first + n)
      .text(email)
      .text(first)
      .text(last);
    row
      .text(`+31${600_000_000 + n}`)
      .bool(n % 20 !== 7)
      .text(`Street ${n % 1_000}`);
    row
      .text(CITIES[n % 5]!)
      .text(String(1_000 + (n % 9_000)))
      .text('NL');
    row.text(`${first} ${last} ${email}`.toLowerCase()).timestamptz(at).timestamptz(at);
    yield;
  }
}

export const MEMBERSHIP_COLUMNS = ['company_id', 'list_id', 'contact_id', 'status', 'created_at', 'updated_at'];

/** Every third contact is on the list. */
export function* membershipRows(row: Row, { companyId, listId, contacts, from }: FilledShop): Generator<void> {
  const at = from.getTime();
  for (let n = 0; n < contacts.count; n += 3) {
    row
      .int8(companyId)
      .int8(listId)
      .int8(contacts.first + n);
    row
      .text(n % 60 === 9 ? 'unsubscribed' : 'active')
      .timestamptz(at)
      .timestamptz(at);
    yield;
  }
}

export const ACTIVITY_COLUMNS = ['company_id', 'contact_id', 'type', 'data', 'created_at'];

/** Changed preferences of contacts, one per fifty messages. */
export function* activityRows(row: Row, { shop, span }: SpanOfShop): Generator<void> {
  const { companyId, contacts } = shop;
  const count = Math.ceil(span.messages / 50);
  for (let k = 0; k < count; k++) {
    row
      .int8(companyId)
      .int8(contacts.first + ((k * 7_919) % contacts.count))
      .text('preferences_changed');
    row.jsonb('{"source": "page", "marketing_frequency": "less_often"}').timestamptz(momentOf(span, k, count));
    yield;
  }
}
