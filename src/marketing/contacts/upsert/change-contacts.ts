import type { Settled } from '../../../db/batching/batcher.ts';
import type { Tx } from '../../../db/pool.ts';
import { INITIAL_BY_API } from '../consent/states.ts';
import type { ContactPatch } from '../patch.ts';
import { findCountry } from '../queries.ts';
import { bulkUpsert } from './bulk-upsert.ts';
import { normalisePatch } from './normalise.ts';
import { settleEach } from './settled.ts';

/** A change made by a flow or another part of the program. */
export interface ContactChange {
  contactId: number;
  /** Absent fields are unchanged; null clears a field; `properties` are merged one level deep. */
  set?: {
    email?: string | null;
    phone?: string | null;
    external_id?: string | null;
    first_name?: string | null;
    last_name?: string | null;
    source?: string | null;
    properties?: Record<string, unknown> | null;
  };
  addTags?: string[];
  removeTags?: string[];
}

/**
 * Changes contacts in the given order and settles each change on its own. Errors: not_found, contact_conflict for a key of
 * another contact, validation_failed. The number of statements is the same for 1 and for 500 changes.
 */
export async function changeContacts(
  tx: Tx,
  companyId: number,
  changes: ContactChange[],
  now: Date,
): Promise<Settled<{ contactId: number; changed: boolean }>[]> {
  if (changes.length === 0) return [];
  const country = changes.some((change) => change.set?.phone) ? await findCountry(tx, companyId) : null;
  return settleEach(
    changes,
    ({ contactId, set = {}, addTags, removeTags }) => {
      const patch: ContactPatch = { ...set };
      if (addTags !== undefined) patch.tags = addTags;
      if (removeTags !== undefined) patch.remove_tags = removeTags;
      return { contactId, patch: normalisePatch(patch, country), initial: INITIAL_BY_API, now };
    },
    async (upserts) => {
      // For an address set by a flow, only the gate checks for a suppression.
      const outcomes = await bulkUpsert(tx, companyId, upserts, { withLists: false, suppressions: null });
      return outcomes.map((outcome) => {
        if (!outcome.ok) return outcome;
        return { ok: true, value: { contactId: outcome.value.contactId, changed: outcome.value.changed } };
      });
    },
  );
}
