import type { CustomerIdentity } from '../../commerce/customers/service.ts';
import type { CustomerContact } from '../../marketing/contacts/service.ts';
import type { TakenEvent } from '../queries.ts';
import { CUSTOMER_UPDATED } from '../service.ts';

/** The customer whom the event is about; null for one that is about nobody. */
export function customerIdOf({ payload }: Pick<TakenEvent, 'payload'>): number | null {
  const id = Number(payload.customer_id);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/**
 * What the events come to for the contacts of their customers, one entry for each customer. Events only say that there is
 * news: what it is, the customers' own rows say, as they are now. So it does not matter in which order events of several
 * customers come, or how old one is (refused and replayed, or of an order that was read before a change).
 * @param customers without those that were erased
 * @param points loyalty points of those of whose points there is news
 */
export function newsOf(
  events: readonly TakenEvent[],
  customers: ReadonlyMap<number, CustomerIdentity>,
  points: ReadonlyMap<number, number>,
): CustomerContact[] {
  const byCustomer = Map.groupBy(events, customerIdOf);
  return [...byCustomer].flatMap(([id, about]) => {
    const customer = id === null ? undefined : customers.get(id);
    if (customer === undefined || customer.email === null) return [];
    const news = new Set(about.flatMap(fieldsOf));
    const balance = points.get(customer.id);
    return [
      {
        customerId: customer.id,
        email: customer.email,
        firstName: nameOf(customer.first_name, news.has('first_name')),
        lastName: nameOf(customer.last_name, news.has('last_name')),
        ...(news.has('phone') || (customer.phone !== null && about.some(tellsPhone)) ? { phone: customer.phone } : {}),
        ...(balance === undefined ? {} : { properties: { loyalty_points: balance } }),
        acceptsMarketing: customer.accepts_marketing,
        // PATCH changes the consent itself, but not of a contact that was being made at that moment.
        saidSo: news.has('accepts_marketing') || about.some(({ topic }) => topic === 'customer_created'),
      },
    ];
  });
}

/** What the event says to have changed. */
function fieldsOf({ topic, payload }: TakenEvent): string[] {
  return topic === CUSTOMER_UPDATED && Array.isArray(payload.changed) ? (payload.changed as string[]) : [];
}

function tellsPhone({ topic }: TakenEvent): boolean {
  return topic === 'customer_created' || topic === CUSTOMER_UPDATED;
}

/** A name that the shop never had does not clear the contact's. */
function nameOf(name: string, isNews: boolean): string | null | undefined {
  return name !== '' ? name : isNews ? null : undefined;
}
