import type { CompanyCache } from '../../access/company-cache.ts';
import type { Clock } from '../../clock.ts';
import { createBatcher } from '../../db/batching/batcher.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { createTextCache } from '../../lib/text-cache.ts';
import { GIVEN_BACK } from '../../outbox/given-back.ts';
import type { SendingCompany } from '../settings/settings.ts';
import {
  type Activity,
  type AttributedOrder,
  attributeOrders,
  attributeRefunds,
  findLink,
  insertActivity,
  type Link,
} from './activity-queries.ts';

export interface ActivityLog {
  /** `byMachine`: a program opened it, not the recipient (see bot-detection.ts). */
  opened(companyId: number, messageId: number, byMachine: boolean): Promise<void>;
  /** Returns the target of the link, or null if there is no such link. */
  leadsTo(companyId: number, linkId: number): Promise<Link | null>;
  /** A click by a machine counts as its open. */
  clicked(companyId: number, messageId: number, linkId: number, byMachine: boolean): Promise<void>;
  /** Attributes orders, and what is given back of them, to the messages that led to them, in the transaction that stores the events. Returns all orders among the events. */
  attribute(
    tx: Tx,
    companyId: number,
    events: OrderEvent[],
    now: Date,
  ): Promise<{ orders: AttributedOrder[]; days: number }>;
}

/** The fields of an event needed to count it as an order. */
export interface OrderEvent {
  event_id: number;
  event_type: string;
  contact_id: number;
  data: Record<string, unknown>;
  occurred_at: Date;
}

interface Noted {
  companyId: number;
  activities: Activity[];
}

export function createActivityLog(deps: {
  db: Db;
  clock: Clock;
  companies: CompanyCache<SendingCompany>;
}): ActivityLog {
  const { db, clock, companies } = deps;
  const links = createTextCache<Link>(20_000, 8_000_000);
  const batcher = createBatcher<Noted, void>({
    name: 'opens-and-clicks',
    key: (noted) => noted.companyId,
    run: async (companyId, all) => {
      const activities = all.flatMap((noted) => noted.activities);
      await db.tenantTx(companyId, (tx) => insertActivity(tx, companyId, activities, clock.now()));
      return all.map(() => ({ ok: true, value: undefined }));
    },
    maxSize: 200,
    maxInFlight: 1,
  });

  async function linkOf(companyId: number, linkId: number): Promise<Link | null> {
    const key = `${companyId}:${linkId}`;
    const known = links.get(key);
    if (known !== undefined) return known;
    const link = await findLink(db.points(companyId), companyId, linkId);
    if (link !== null) links.set(key, link, { size: link.url.length + (link.prefix?.length ?? 0) + 50 });
    return link;
  }

  return {
    leadsTo: linkOf,
    opened: (companyId, messageId, byMachine) =>
      batcher.submit({ companyId, activities: [{ messageId, type: byMachine ? 'machine_opened' : 'opened' }] }),
    async clicked(companyId, messageId, linkId, byMachine) {
      // A click implies an open, even if images were blocked.
      const activities: Activity[] = [
        { messageId, type: 'opened' },
        { messageId, type: 'clicked' },
        { messageId, type: 'link_clicked', reference: linkId },
      ];
      const machine: Activity[] = [{ messageId, type: 'machine_opened' }];
      await batcher.submit({ companyId, activities: byMachine ? machine : activities });
    },
    async attribute(tx, companyId, events, now) {
      const refunds = events.flatMap((event) => refundOf(event) ?? []);
      const orders = events.filter(({ event_type, data }) => event_type === 'order_placed' && isAmount(data.total));
      if (orders.length + refunds.length === 0) return { orders: [], days: 0 };
      const { exponent, attribution_days } = await companies.get(companyId);
      const attributed = orders.map((event) => ({
        eventId: event.event_id,
        contactId: event.contact_id,
        occurredAt: event.occurred_at,
        amount: Math.round((event.data.total as number) * 10 ** exponent),
      }));
      if (orders.length > 0) await attributeOrders(tx, companyId, attributed, { days: attribution_days, now });
      if (refunds.length > 0) {
        const given = refunds.map(({ net, ...refund }) => ({ ...refund, amount: Math.round(net * 10 ** exponent) }));
        await attributeRefunds(tx, companyId, given);
      }
      return { orders: attributed, days: attribution_days };
    },
  };
}

/** `net` in major units; null for other events, and for refunds of what was paid too much. */
function refundOf({ event_id: eventId, event_type, contact_id: contactId, data }: OrderEvent) {
  const sign = GIVEN_BACK.get(event_type);
  const { order_id: orderId, net_amount: net } = data;
  if (sign === undefined || typeof orderId !== 'string' || !isAmount(net) || net === 0) return null;
  return { eventId, contactId, orderId, net: sign * (net as number) };
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) < 1e12;
}
