import { findIdentities } from '../../commerce/customers/service.ts';
import type { Tx } from '../../db/pool.ts';
import { type CustomerContact, syncCustomers } from '../../marketing/contacts/service.ts';
import type { Suppressions } from '../../messaging/suppressions/suppressions.ts';

interface ImportedCustomer {
  id: number;
  customer: {
    email: string;
    first_name: string;
    last_name: string;
    phone: string | null;
    accepts_marketing: boolean;
  };
  /** In the file; others of the contact stay. */
  tags?: string[];
}

/**
 * Creates and updates contacts of imported customers in the import's own transaction, which holds the outbox (holdOutbox). It bypasses the
 * outbox: no event is stored, no flow starts and no webhook is sent, since imported data is not news. Returns the new contacts.
 */
export async function syncImportedCustomers(
  tx: Tx,
  companyId: number,
  customers: ImportedCustomer[],
  { now, suppressions }: { now: Date; suppressions: Suppressions },
): Promise<{ created: number[] }> {
  if (customers.length === 0) return { created: [] };
  const changes = customers.map(
    ({ id, tags, customer: { email, first_name, last_name, phone, accepts_marketing } }): CustomerContact => ({
      customerId: id,
      email,
      firstName: first_name === '' ? null : first_name,
      lastName: last_name === '' ? null : last_name,
      phone,
      ...(tags !== undefined && tags.length > 0 && { tags }),
      acceptsMarketing: accepts_marketing,
      // The consent was given elsewhere, so an existing contact keeps its own.
      saidSo: false,
      consentSource: 'import',
    }),
  );
  const findPhones = async (asked: Tx, company: number, ids: number[]): Promise<Map<number, string | null>> => {
    const identities = await findIdentities(asked, company, ids);
    return new Map([...identities].map(([id, { phone }]) => [id, phone]));
  };
  const settled = await syncCustomers(tx, companyId, changes, now, { suppressions, findPhones });
  const failed = settled.find((one) => !one.ok);
  if (failed !== undefined && !failed.ok) throw failed.error;
  return { created: settled.flatMap((one) => (one.ok && one.value.created ? [one.value.contactId] : [])) };
}
