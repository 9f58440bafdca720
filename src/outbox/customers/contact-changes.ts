import type { CustomerIdentity } from '../../commerce/customers/service.ts';
import type { CustomerContact } from '../../marketing/contacts/service.ts';
import type { TakenEvent } from '../queries.ts';
import { CUSTOMER_MERGED, CUSTOMER_UPDATED } from '../service.ts';

/** The id of the customer that the event is about, or null. */
export function customerIdOf({ payload }: Pick<TakenEvent, 'payload'>): number | null {
  const id = Number(payload.customer_id);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/**
 * The changes of contacts that follow from the events, one per customer. An event only says that something changed; the
 * values are those of the customer's row now. So neither the order of events nor their age matters (replayed refusals, orders
 * read before a change).
 * @param customers without erased ones
 * @param points loyalty points of customers whose points changed
 */
export function contactChanges(
  events: readonly TakenEvent[],
  customers: ReadonlyMap<number, CustomerIdentity>,
  points: ReadonlyMap<number, number>,
): CustomerContact[] {
  const byCustomer = Map.groupBy(events, customerIdOf);
  return [...byCustomer].flatMap(([id, about]) => {
    const customer = id === null ? undefined : customers.get(id);
    if (customer === undefined || customer.email === null) return [];
    const changed = new Set(about.flatMap(changedFields));
    const absorbs = about.flatMap(mergedId);
    const balance = points.get(customer.id);
    return [
      {
        customerId: customer.id,
        email: customer.email,
        firstName: nameOf(customer.first_name, changed.has('first_name')),
        lastName: nameOf(customer.last_name, changed.has('last_name')),
        ...(changed.has('phone') || (customer.phone !== null && about.some(carriesPhone))
          ? { phone: customer.phone }
          : {}),
        ...(balance === undefined ? {} : { properties: { loyalty_points: balance } }),
        ...(absorbs.length === 0 ? {} : { absorbs }),
        acceptsMarketing: customer.accepts_marketing,
        // PATCH changes the consent itself, but not that of a contact created at the same time.
        saidSo: changed.has('accepts_marketing') || about.some(({ topic }) => topic === 'customer_created'),
      },
    ];
  });
}

/** The fields that the event says have changed. */
function changedFields({ topic, payload }: TakenEvent): string[] {
  return topic === CUSTOMER_UPDATED && Array.isArray(payload.changed) ? (payload.changed as string[]) : [];
}

/** The id of the customer who became part of this one. */
function mergedId({ topic, payload }: TakenEvent): number[] {
  const id = Number(payload.merged_customer_id);
  return topic === CUSTOMER_MERGED && Number.isSafeInteger(id) && id > 0 ? [id] : [];
}

function carriesPhone({ topic }: TakenEvent): boolean {
  return topic === 'customer_created' || topic === CUSTOMER_UPDATED;
}

/** An empty name clears the contact's name only if it was changed. */
function nameOf(name: string, isChanged: boolean): string | null | undefined {
  return name !== '' ? name : isChanged ? null : undefined;
}
