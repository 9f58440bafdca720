import { accessInvariants } from './access/invariants.ts';
import { cartInvariants } from './commerce/carts/invariants.ts';
import { collectionInvariants } from './commerce/collections/invariants.ts';
import { customFieldInvariants } from './commerce/custom-fields/invariants.ts';
import { commerceInvariants } from './commerce/invariants.ts';
import { inventoryInvariants } from './commerce/inventory/invariants.ts';
import { paymentInvariants } from './commerce/payments/invariants.ts';
import { pictureInvariants } from './commerce/pictures/invariants.ts';
import { facetInvariants } from './commerce/products/facets/invariants.ts';
import { variantInvariants } from './commerce/products/variants/invariants.ts';
import { salesInvariants } from './commerce/sales/invariants.ts';
import type { Invariant, Violation } from './db/invariant.ts';
import type { Db } from './db/pool.ts';
import { erasureInvariants } from './erasure/invariants.ts';
import { contactInvariants } from './marketing/contacts/invariants.ts';
import { eventInvariants } from './marketing/events/invariants.ts';
import { flowInvariants } from './marketing/flows/invariants.ts';
import { messagingInvariants } from './messaging/invariants.ts';
import { outboxInvariants } from './outbox/invariants.ts';

export interface Finding {
  id: string;
  promise: string;
  ok: boolean;
  violations: number;
  /** Some of the places where the promise is broken. */
  examples: Violation[];
  fix: string | null;
}

/** Every promise that a program can check, grouped by the part that makes it. */
export const invariants: Invariant[] = [
  ...accessInvariants,
  ...commerceInvariants,
  ...inventoryInvariants,
  ...cartInvariants,
  ...paymentInvariants,
  ...pictureInvariants,
  ...variantInvariants,
  ...facetInvariants,
  ...collectionInvariants,
  ...customFieldInvariants,
  ...salesInvariants,
  ...contactInvariants,
  ...erasureInvariants,
  ...eventInvariants,
  ...flowInvariants,
  ...messagingInvariants,
  ...outboxInvariants,
];

const EXAMPLES = 10;
/** They read whole tables, possibly ones that were filled a moment ago and have no statistics yet. */
const STATEMENT_LIMIT_MS = 10 * 60_000;

/** Checks them all, one after the other, so that a busy database stays usable. */
export async function checkInvariants(db: Db, list: readonly Invariant[] = invariants): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { id, promise, fix, violations } of list) {
    const rows = await db.tx(async (tx) => {
      await tx.limitStatements(STATEMENT_LIMIT_MS);
      return typeof violations === 'function' ? violations(tx) : tx.query<Violation>(violations);
    });
    const ok = rows.length === 0;
    const examples = rows.slice(0, EXAMPLES);
    findings.push({ id, promise, ok, violations: rows.length, examples, fix: ok ? null : fix });
  }
  return findings;
}
