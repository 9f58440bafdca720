import { FIRST_NAMES, LAST_NAMES } from '../../names.ts';
import { type FilledShop, type IdRange, NULL, stamp } from '../shop.ts';

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
export function* contactLines(companyId: number, contacts: IdRange, customers: IdRange, from: Date): Generator<string> {
  for (let n = 0; n < contacts.count; n++) {
    const [first, last, email] = [firstNameOf(n), lastNameOf(n), emailOf(n)];
    const external = n < customers.count ? customers.first + n : NULL;
    const tags = n % 10 === 0 ? '{vip,newsletter}' : n % 3 === 0 ? '{newsletter}' : '{}';
    const properties = `{"plan": "${PLANS[n % 4]}", "age": ${18 + (n % 60)}, "city": "${CITIES[n % 5]}"}`;
    const at = stamp(from.getTime() + n);
    yield `${companyId}\t${contacts.first + n}\t${external}\t${email}\t+31${600_000_000 + n}\t${first}\t${last}\t${SOURCES[n % 3]}\t${tags}\t${properties}\t${n % 20 === 7 ? 'unsubscribed' : 'subscribed'}\t${n % 50 === 9}\t${`${first} ${last}\\n${email}`.toLowerCase()}\t${at}\t${at}\n`;
  }
}

export const CUSTOMER_COLUMNS = [
  ...['company_id', 'id', 'email', 'first_name', 'last_name', 'phone', 'accepts_marketing', 'address', 'city', 'zip'],
  ...['country', 'search', 'created_at', 'updated_at'],
];

export function* customerLines(companyId: number, { first: id, count }: IdRange, from: Date): Generator<string> {
  for (let n = 0; n < count; n++) {
    const [first, last, email] = [firstNameOf(n), lastNameOf(n), emailOf(n)];
    const at = stamp(from.getTime() + n);
    yield `${companyId}\t${id + n}\t${email}\t${first}\t${last}\t+31${600_000_000 + n}\t${n % 20 !== 7}\tStreet ${n % 1_000}\t${CITIES[n % 5]}\t${1_000 + (n % 9_000)}\tNL\t${`${first} ${last} ${email}`.toLowerCase()}\t${at}\t${at}\n`;
  }
}

export const MEMBERSHIP_COLUMNS = ['company_id', 'list_id', 'contact_id', 'status', 'created_at', 'updated_at'];

/** Every third contact is on the list. */
export function* membershipLines(companyId: number, listId: number, contacts: IdRange, from: Date): Generator<string> {
  const at = stamp(from.getTime());
  for (let n = 0; n < contacts.count; n += 3) {
    yield `${companyId}\t${listId}\t${contacts.first + n}\t${n % 60 === 9 ? 'unsubscribed' : 'active'}\t${at}\t${at}\n`;
  }
}

export const ACTIVITY_COLUMNS = ['company_id', 'contact_id', 'type', 'data', 'created_at'];

/** Preferences that contacts changed. */
export function* activityLines({ companyId, contacts }: FilledShop, count: number, at: (k: number) => number) {
  for (let k = 0; k < count; k++) {
    const contact = contacts.first + ((k * 7_919) % contacts.count);
    yield `${companyId}\t${contact}\tpreferences_changed\t{"source": "page", "marketing_frequency": "less_often"}\t${stamp(at(k))}\n`;
  }
}
