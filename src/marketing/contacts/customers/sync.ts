import type { Settled } from '../../../db/batching/batch.ts';
import type { Tx } from '../../../db/pool.ts';
import { normalisePhone } from '../../../lib/addresses.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import type { ContactPatch } from '../patch.ts';
import { findCountry } from '../queries.ts';
import type { ContactUpsert } from '../upsert/contact-upsert.ts';
import { normalisePatch } from '../upsert/normalise.ts';
import { type Resolved, settleKnown } from '../upsert/resolve.ts';
import { settleEach } from '../upsert/settled.ts';
import type { ShopCustomer } from './match.ts';

/** A customer as the shop has them at present, as far as something about them is news. */
export interface CustomerContact {
  customerId: number;
  email: string;
  /** Absent: unchanged; null: cleared. */
  firstName?: string | null;
  lastName?: string | null;
  phone?: string | null;
  /** Merged one level deep; left out where the contact has no room for them. */
  properties?: Record<string, unknown>;
  /** The consent of a contact that is made; of one that is there already only where the customer has just said so. */
  acceptsMarketing: boolean;
  saidSo: boolean;
}

export interface SyncDeps {
  suppressions: Suppressions;
  /** Those of the ids that are customers of the shop, erased ones too, with their present phones. */
  findPhones: (tx: Tx, companyId: number, customerIds: number[]) => Promise<Map<number, string | null>>;
}

/**
 * Makes the contacts of customers what the customers are in the shop, and makes those that are missing. The only way by
 * which the shop changes contacts, `acceptsMarketing` among it. Each is settled alone. To be called by one transaction of a
 * company at a time, with what the shop holds as that transaction reads it: then the last call leaves what the shop has.
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
  const { customerId, email, firstName, lastName, phone, properties, acceptsMarketing, saidSo } = customer;
  const patch: ContactPatch = { external_id: String(customerId), email };
  if (firstName !== undefined) patch.first_name = firstName;
  if (lastName !== undefined) patch.last_name = lastName;
  if (phone !== undefined) patch.phone = phone;
  if (properties !== undefined) patch.properties = properties;
  if (saidSo) patch.shop_accepts = acceptsMarketing;
  const initial = { email: acceptsMarketing ? 'subscribed' : 'never', sms: 'never', source: 'shop' } as const;
  return { patch: normalisePatch(patch, country), origin: 'shop', initial, isOfShop: true, now };
}
