import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { found, invalidField } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { correlationOf, requestIdOf } from '../../lib/tracing/correlation.ts';
import type { Delivery, DeliveryQuery } from './delivery-contract.ts';
import * as queries from './delivery-queries.ts';
import { findEndpoint } from './queries.ts';
import { deadlinesFrom } from './queue-deliveries.ts';

export type DeliveriesService = ReturnType<typeof createDeliveriesService>;

/** Deliveries of outgoing webhooks. Every method throws not_found for an unknown endpoint. */
export function createDeliveriesService({ db }: { db: Db }) {
  return {
    async listDeliveries(companyId: number, endpointId: number, query: DeliveryQuery): Promise<Page<Delivery>> {
      const lane = db.lists(companyId);
      found(await findEndpoint(lane, companyId, endpointId), 'webhook endpoint');
      const { before = null } = query;
      const { page, perPage, skip } = pageOf(before === null ? query : { ...query, page: 1 });
      const filter = { status: query.status ?? null, before, skip, take: perPage };
      const { rows, total } = await queries.listDeliveries(lane, companyId, endpointId, filter);
      return { rows: rows.map(deliveryRecord), total, page, perPage };
    },

    /** Makes failed deliveries due again, all or the given ones, and retries them for a day. Throws validation_failed. */
    async replay(
      caller: Caller,
      endpointId: number,
      deliveryIds: number[] | null,
    ): Promise<{ endpoint_id: number; replayed: number }> {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        requireActive(found(await findEndpoint(tx, companyId, endpointId), 'webhook endpoint'));
        const replayed = await queries.replayFailed(tx, companyId, endpointId, deliveryIds, deadlinesFrom(now));
        return { endpoint_id: endpointId, replayed };
      });
    },

    /** Queues a delivery of type `ping`, which tests whether the endpoint accepts deliveries. Throws validation_failed. */
    async ping(caller: Caller, endpointId: number): Promise<Delivery> {
      const { companyId, now, requestId } = caller;
      return write(db, caller, async (tx) => {
        requireActive(found(await findEndpoint(tx, companyId, endpointId), 'webhook endpoint'));
        const messageId = `msg_${companyId}_ping_${requestId}`;
        const body = JSON.stringify({ event_type: 'ping', event_data: {}, occurred_at: now.toISOString() });
        const ping = {
          messageId,
          eventType: 'ping',
          entity: `ping:${messageId}`,
          body,
          correlation: correlationOf(caller),
        };
        return deliveryRecord(await queries.insertPing(tx, companyId, endpointId, ping, deadlinesFrom(now)));
      });
    },
  };
}

function requireActive({ active }: { active: boolean }): void {
  if (!active) throw invalidField('active', 'The endpoint is disabled. Enable it first');
}

function deliveryRecord(row: queries.DeliveryRow): Delivery {
  const { id, due_at, created_at, finished_at, correlation, ...rest } = row;
  return {
    delivery_id: id,
    ...rest,
    due_at: formatTimestamp(due_at),
    created_at: formatTimestamp(created_at),
    finished_at: finished_at === null ? null : formatTimestamp(finished_at),
    request_id: requestIdOf(correlation),
  };
}
