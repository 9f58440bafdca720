import type { Contact } from '../contact.ts';
import { keysOf } from '../keys.ts';
import type { ContactUpsert } from '../upsert/contact-upsert.ts';
import type { ShopCustomer } from './match.ts';

/**
 * Customers of the shop, by external_id, that may compete for an address: those that the upserts are about, and those whose contact
 * has an address that an upsert assigns to another customer.
 */
export async function findCompetingCustomers(
  upserts: ContactUpsert[],
  rows: Pick<Contact, 'external_id' | 'email' | 'phone'>[],
  findCustomers: ((externalIds: string[]) => Promise<Map<string, ShopCustomer>>) | undefined,
): Promise<Map<string, ShopCustomer>> {
  const competitors = new Map<string, ShopCustomer>();
  const wanted = new Map<string, string>();
  for (const { patch, isOfShop } of upserts) {
    if (!isOfShop) continue;
    const { external_id: id, email, phone } = patch;
    competitors.set(id!, phone === undefined ? {} : { phone });
    for (const key of keysOf({ email, phone })) wanted.set(key, id!);
  }
  if (findCustomers === undefined || wanted.size === 0) return competitors;
  const holders = rows.flatMap(({ external_id: id, email, phone }) => {
    const competes = keysOf({ email, phone }).some((key) => wanted.has(key) && wanted.get(key) !== id);
    return competes && id !== null ? [id] : [];
  });
  if (holders.length === 0) return competitors;
  return new Map([...competitors, ...(await findCustomers(holders))]);
}
