import type { Tx } from '../../../db/pool.ts';
import type { Suppressions } from '../../../messaging/suppressions/suppressions.ts';
import type { Membership } from '../../lists/membership.ts';
import type { ListSettings } from '../../lists/service.ts';
import type { ConsentSource } from '../consent/states.ts';
import type { Contact } from '../contact.ts';
import type { ShopCustomer } from '../customers/match.ts';
import type { Slot } from './plan.ts';
import type { WorkingSet } from './working-set.ts';

/** A contact after its upsert. `lists` is empty unless `withLists` was set. */
export interface UpsertOutcome {
  contactId: number;
  contact: Contact;
  lists: Membership[];
  created: boolean;
  changed: boolean;
  /** The contact before the upsert; null if it is new. */
  before: Contact | null;
  /** One of its addresses is suppressed, which took precedence over the given consents. */
  suppressed: boolean;
}

interface Join {
  slot: Slot;
  membership: Membership;
  at: Date;
  /** Where the consent to the membership came from. */
  source: ConsentSource;
}

export interface BulkUpsertOptions {
  /** Whether outcomes contain the lists of the contacts. */
  withLists: boolean;
  /** Checked for new addresses, and extended by unsubscriptions and bounces. Null: neither. */
  suppressions: Pick<Suppressions, 'find' | 'add'> | null;
  /** Returns those external ids that are customers of the shop. Required for upserts with `isOfShop`. */
  findCustomers?: (externalIds: string[]) => Promise<Map<string, ShopCustomer>>;
  /** Rejects an upsert whose keys belong to two contacts, instead of merging them. */
  refusesMerges?: true;
}

/** The state of a bulk upsert while it runs. */
export interface Run {
  tx: Tx;
  companyId: number;
  suppressions: BulkUpsertOptions['suppressions'];
  refusesMerges: boolean;
  /** Whether the company has any suppression. */
  hasSuppressions: boolean;
  set: WorkingSet;
  lists: Map<number, ListSettings>;
  /** Memberships to write once their contacts have ids. */
  joins: Join[];
  /** Addresses with `status: bounced`, which will be suppressed. */
  bounced: { email: string; at: Date }[];
  /** Sent statements on whose results nothing depends. */
  pending: Promise<unknown>[];
}
