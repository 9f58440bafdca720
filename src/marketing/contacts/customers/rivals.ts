import type { Contact } from '../contact.ts';
import { type ContactDeed, keysOf } from '../upsert/working-set.ts';
import type { ShopCustomer } from './match.ts';

/**
 * The shop's customers, by external_id, among the contacts that have what a deed gives its own customer; and those that the
 * deeds are about, which may get it within the set.
 */
export async function findRivals(
  deeds: ContactDeed[],
  rows: Pick<Contact, 'external_id' | 'email' | 'phone'>[],
  findCustomers: ((externalIds: string[]) => Promise<Map<string, ShopCustomer>>) | undefined,
): Promise<Map<string, ShopCustomer>> {
  const rivals = new Map<string, ShopCustomer>();
  const wanted = new Map<string, string>();
  for (const { patch, isOfShop } of deeds) {
    if (!isOfShop) continue;
    const { external_id: id, email, phone } = patch;
    rivals.set(id!, phone === undefined ? {} : { phone });
    for (const key of keysOf({ email, phone })) wanted.set(key, id!);
  }
  if (findCustomers === undefined || wanted.size === 0) return rivals;
  const holders = rows.flatMap(({ external_id: id, email, phone }) => {
    const isRival = keysOf({ email, phone }).some((key) => wanted.has(key) && wanted.get(key) !== id);
    return isRival && id !== null ? [id] : [];
  });
  if (holders.length === 0) return rivals;
  return new Map([...rivals, ...(await findCustomers(holders))]);
}
