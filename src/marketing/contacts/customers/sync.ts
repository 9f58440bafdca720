import type { Settled } from '../../../db/batching/batcher.ts';
import type { Tx } from '../../../db/pool.ts';
import { normalisePhone } from '../../../lib/addresses.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import type { ContactPatch } from '../patch.ts';
import { findCountry } from '../queries.ts';
import { type Resolved, settleKnown } from '../upsert/events-and-flows.ts';
import { normalisePatch, settleEach } from '../upsert/input.ts';
import type { ContactUpsert } from '../upsert/plan.ts';
import type { ShopCustomer } from './match.ts';

/** A customer's current fields in the shop, as far as they changed. */
export interface CustomerContact {
  customerId: number;
  email: string;
  /** Absent: unchanged; null: cleared. */
  firstName?: string | null;
  lastName?: string | null;
  phone?: string | null;
  /** Merged one level deep; ignored if the contact would have too many properties. */
  properties?: Record<string, unknown>;
  /** Added to those of the contact, as many as it may have. */
  tags?: string[];
  /** Customers that were merged into this one: their contacts are merged into its contact. */
  absorbs?: number[];
  /** The consent of a new contact. Applies to an existing one only with `saidSo`: the customer has just decided it. */
  acceptsMarketing: boolean;
  saidSo: boolean;
  /** Where the consent of a new contact came from; default `shop`. */
  consentSource?: 'shop' | 'import';
}

export interface SyncDeps {
  suppressions: Suppressions;
  /** Returns the current phones of those ids that are customers, including erased ones. */
  findPhones: (tx: Tx, companyId: number, customerIds: number[]) => Promise<Map<number, string | null>>;
}

/**
 * Creates and updates the contacts of customers to match the customers in the shop. Each is settled on its own. Only one transaction of
 * a company may call this at a time, with fields that it has read itself: the last call then leaves the current state of the shop.
 * See docs/design/contacts.md.
 */
export async function syncCustomers(
  tx: Tx,
  companyId: number,
  customers: CustomerContact[],
  now: Date,
  { suppressions, findPhones }: SyncDeps,
): Promise<Settled<Resolved>[]> {
  const country = customers.some((customer) => customer.phone) ? await findCountry(tx, companyId) : null;
  const findCustomers = async (externalIds: string[]): Promise<Map<string, ShopCustomer>> => {
    const ids = externalIds.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
    const phones = ids.length === 0 ? [] : await findPhones(tx, companyId, ids);
    return new Map([...phones].map(([id, phone]) => [String(id), { phone: phone && inOneForm(phone) }]));
  };
  const inOneForm = (phone: string): string => normalisePhone(phone, country) ?? phone;
  return settleEach(
    customers,
    (customer) => upsertOf(customer, country, now),
    (upserts) => settleKnown(tx, companyId, upserts, { withLists: false, suppressions, findCustomers }),
  );
}

function upsertOf(customer: CustomerContact, country: string | null, now: Date): ContactUpsert {
  const {
    customerId,
    email,
    firstName,
    lastName,
    phone,
    properties,
    tags,
    absorbs = [],
    acceptsMarketing,
    saidSo,
  } = customer;
  const patch: ContactPatch = { external_id: String(customerId), email };
  if (firstName !== undefined) patch.first_name = firstName;
  if (lastName !== undefined) patch.last_name = lastName;
  if (phone !== undefined) patch.phone = phone;
  if (properties !== undefined) patch.properties = properties;
  if (tags !== undefined) patch.tags = tags;
  if (saidSo) patch.shop_accepts = acceptsMarketing;
  const source = customer.consentSource ?? 'shop';
  const initial = { email: acceptsMarketing ? 'subscribed' : 'never', sms: 'never', source } as const;
  const upsert = { patch: normalisePatch(patch, country), origin: 'shop', initial, isOfShop: true, now } as const;
  return absorbs.length === 0 ? upsert : { ...upsert, absorbs: absorbs.map(String) };
}
