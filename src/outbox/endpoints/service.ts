import { recordAuditEntry } from '../../access/audit.ts';
import type { MasterKey } from '../../access/master-key.ts';
import { newWebhookSecret } from '../../access/service.ts';
import type { Caller } from '../../caller.ts';
import type { Clock } from '../../clock.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { purgeByAge } from '../../db/purge.ts';
import { found, invalidField } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import type { Slice } from '../../lib/slice.ts';
import { formatTimestamp } from '../../marketing/time.ts';
import { refusedUrl } from '../safe-fetch.ts';
import type { Delivery, DeliveryQuery, EndpointInput, EndpointPatch, WebhookEndpoint } from './contract.ts';
import * as queries from './queries.ts';

/** A delivery that fails is tried again for a day. */
export const TRIED_FOR_MS = 24 * 3_600_000;
const MAX_ENDPOINTS = 50;
/** A finished delivery is kept so long: it holds what the shop said of people. */
const KEPT_FOR_MS = 30 * 24 * 3_600_000;

export interface EndpointDeps {
  db: Db;
  masterKey: MasterKey;
  config: { allowPrivateWebhooks: boolean };
}

export async function listEndpoints(
  db: Db,
  companyId: number,
  query: { page?: number; per_page?: number },
): Promise<Page<WebhookEndpoint>> {
  const { page, perPage } = pageOf(query);
  const { rows, total } = await queries.listEndpoints(db, companyId, { skip: (page - 1) * perPage, take: perPage });
  return { rows: rows.map(endpointRecord), total, page, perPage };
}

/** Throws not_found. */
export async function getEndpoint(db: Db, companyId: number, id: number): Promise<WebhookEndpoint> {
  return endpointRecord(found(await queries.findEndpoint(db, companyId, id), 'webhook endpoint'));
}

/** A new endpoint with its secret, which is shown this once. Throws validation_failed. */
export async function createEndpoint(
  { db, masterKey, config }: EndpointDeps,
  caller: Caller,
  input: EndpointInput,
): Promise<WebhookEndpoint & { secret: string }> {
  const { companyId, now } = caller;
  checkUrl(input.url, config);
  const secret = newWebhookSecret();
  return write(db, caller, async (tx) => {
    if ((await queries.countEndpoints(tx, companyId)) >= MAX_ENDPOINTS) {
      throw invalidField('url', `A company has room for ${MAX_ENDPOINTS} endpoints`);
    }
    const row = await queries.insertEndpoint(tx, companyId, {
      url: input.url,
      eventTypes: input.event_types ?? [],
      description: input.description ?? '',
      secret: masterKey.seal(secret),
      now,
    });
    await audit(tx, caller, 'webhook_endpoint.create', row.id, { url: row.url });
    return { ...endpointRecord(row), secret };
  });
}

/**
 * Sets what is given; switching on forgets the failures, switching off ends what waits, which can be replayed. Throws not_found, validation_failed.
 */
export async function updateEndpoint(
  { db, config }: Pick<EndpointDeps, 'db' | 'config'>,
  caller: Caller,
  id: number,
  patch: EndpointPatch,
): Promise<WebhookEndpoint> {
  const { companyId, now } = caller;
  if (patch.url !== undefined) checkUrl(patch.url, config);
  return write(db, caller, async (tx) => {
    const old = found(await queries.findEndpoint(tx, companyId, id, true), 'webhook endpoint');
    const switchedOn = patch.active === true && !old.active;
    const row = await queries.updateEndpoint(
      tx,
      companyId,
      {
        ...old,
        url: patch.url ?? old.url,
        event_types: patch.event_types ?? old.event_types,
        description: patch.description ?? old.description,
        active: patch.active ?? old.active,
        disabled_reason: patch.active === undefined ? old.disabled_reason : null,
        failing_since: switchedOn ? null : old.failing_since,
      },
      now,
    );
    if (old.active && !row.active) await queries.failWaiting(tx, companyId, id, 'the endpoint was switched off', now);
    await audit(tx, caller, 'webhook_endpoint.update', id, { ...patch });
    return endpointRecord(row);
  });
}

/** Throws not_found. */
export async function deleteEndpoint(
  db: Db,
  caller: Caller,
  id: number,
): Promise<{ endpoint_id: number; deleted: boolean }> {
  return write(db, caller, async (tx) => {
    found((await queries.deleteEndpoint(tx, caller.companyId, id)) || undefined, 'webhook endpoint');
    await audit(tx, caller, 'webhook_endpoint.delete', id);
    return { endpoint_id: id, deleted: true };
  });
}

/** Throws not_found. */
export async function listDeliveries(
  db: Db,
  companyId: number,
  endpointId: number,
  query: DeliveryQuery,
): Promise<Page<Delivery>> {
  found(await queries.findEndpoint(db, companyId, endpointId), 'webhook endpoint');
  const { page, perPage } = pageOf(query);
  const filter = { status: query.status ?? null, skip: (page - 1) * perPage, take: perPage };
  const { rows, total } = await queries.listDeliveries(db, companyId, endpointId, filter);
  return { rows: rows.map(deliveryRecord), total, page, perPage };
}

/** Sends failed deliveries again, with a whole day to succeed. Throws not_found. */
export async function replay(
  db: Db,
  caller: Caller,
  endpointId: number,
  deliveryIds: number[] | null,
): Promise<{ endpoint_id: number; replayed: number }> {
  const { companyId } = caller;
  return write(db, caller, async (tx) => {
    const endpoint = found(await queries.findEndpoint(tx, companyId, endpointId), 'webhook endpoint');
    if (!endpoint.active) throw invalidField('active', 'The endpoint is switched off: switch it on first');
    const replayed = await queries.replayFailed(tx, companyId, endpointId, deliveryIds, timesOf(caller.now));
    return { endpoint_id: endpointId, replayed };
  });
}

/** Forgets deliveries that were finished 30 days ago. */
export function purgeOldDeliveries(db: Queryable, clock: Clock): Slice<Date> {
  const before = (): Date => new Date(clock.now().getTime() - KEPT_FOR_MS);
  return purgeByAge(db, { table: 'webhook_deliveries', column: 'finished_at', before });
}

/** A delivery that says nothing, to see whether the endpoint takes it. Throws not_found. */
export async function ping(db: Db, caller: Caller, endpointId: number): Promise<Delivery> {
  const { companyId, now, requestId } = caller;
  return write(db, caller, async (tx) => {
    const endpoint = found(await queries.findEndpoint(tx, companyId, endpointId), 'webhook endpoint');
    if (!endpoint.active) throw invalidField('active', 'The endpoint is switched off: switch it on first');
    const messageId = `msg_${companyId}_ping_${requestId}`;
    const body = JSON.stringify({ event_type: 'ping', event_data: {}, occurred_at: now.toISOString() });
    const made = { messageId, eventType: 'ping', entity: `ping:${messageId}`, body };
    return deliveryRecord(await queries.insertPing(tx, companyId, endpointId, made, timesOf(now)));
  });
}

/** What the shop did, as it stands in the outbox. */
export interface ShopEvent {
  id: number;
  topic: string;
  payload: Record<string, unknown>;
  occurred_at: Date;
}

/** By what the event of the outbox is known outside: in webhooks, and as the event's external id. */
export function messageIdOf(companyId: number, outboxId: number): string {
  return `msg_${companyId}_${outboxId}`;
}

/** Tells every endpoint that wants to know, in the transaction that takes the events out of the outbox. */
export async function queueDeliveries(tx: Tx, companyId: number, events: ShopEvent[], now: Date): Promise<number> {
  const deliveries = events.map((event): queries.NewDelivery => {
    const messageId = messageIdOf(companyId, event.id);
    const body = JSON.stringify({
      event_type: event.topic,
      event_id: messageId,
      event_data: event.payload,
      occurred_at: event.occurred_at.toISOString(),
    });
    return { messageId, eventType: event.topic, entity: entityOf(event), body };
  });
  return queries.insertDeliveries(tx, companyId, deliveries, timesOf(now));
}

/** What the event is about. */
function entityOf({ topic, payload, id }: ShopEvent): string {
  const [key, noun] = topic.startsWith('order_')
    ? ['order_id', 'order']
    : topic.startsWith('subscription_')
      ? ['subscription_id', 'subscription']
      : ['customer_id', 'customer'];
  const value = payload[key];
  return value === undefined ? `event:${id}` : `${noun}:${String(value)}`;
}

function timesOf(now: Date): { now: Date; giveUpAt: Date } {
  return { now, giveUpAt: new Date(now.getTime() + TRIED_FOR_MS) };
}

function checkUrl(url: string, config: { allowPrivateWebhooks: boolean }): void {
  const reason = refusedUrl(url, config.allowPrivateWebhooks);
  if (reason !== null) throw invalidField('url', `url: ${reason}`);
}

async function audit(tx: Tx, caller: Caller, action: string, id: number, details = {}): Promise<void> {
  const { actor, now: at } = caller;
  await recordAuditEntry(tx, caller.companyId, { at, actor, action, target: `webhook_endpoint:${id}`, details });
}

function endpointRecord(row: queries.EndpointRow): WebhookEndpoint {
  const { id, failing_since, created_at, updated_at, ...rest } = row;
  return {
    endpoint_id: id,
    url: rest.url,
    event_types: rest.event_types,
    description: rest.description,
    active: rest.active,
    disabled_reason: rest.disabled_reason,
    failing_since: failing_since === null ? null : formatTimestamp(failing_since),
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
  };
}

function deliveryRecord(row: queries.DeliveryRow): Delivery {
  const { id, due_at, created_at, finished_at, ...rest } = row;
  return {
    delivery_id: id,
    ...rest,
    due_at: formatTimestamp(due_at),
    created_at: formatTimestamp(created_at),
    finished_at: finished_at === null ? null : formatTimestamp(finished_at),
  };
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createEndpointsService(deps: EndpointDeps) {
  const { db } = deps;
  return {
    listEndpoints: (companyId: number, query: { page?: number; per_page?: number }) =>
      listEndpoints(db.lists(companyId), companyId, query),
    createEndpoint: (caller: Caller, input: EndpointInput) => createEndpoint(deps, caller, input),
    getEndpoint: (companyId: number, id: number) => getEndpoint(db.points(companyId), companyId, id),
    updateEndpoint: (caller: Caller, id: number, patch: EndpointPatch) => updateEndpoint(deps, caller, id, patch),
    deleteEndpoint: (caller: Caller, id: number) => deleteEndpoint(db.points(caller.companyId), caller, id),
    listDeliveries: (companyId: number, endpointId: number, query: DeliveryQuery) =>
      listDeliveries(db.lists(companyId), companyId, endpointId, query),
    replay: (caller: Caller, endpointId: number, deliveryIds: number[] | null) =>
      replay(db.points(caller.companyId), caller, endpointId, deliveryIds),
    ping: (caller: Caller, endpointId: number) => ping(db.points(caller.companyId), caller, endpointId),
  };
}

export type EndpointsService = ReturnType<typeof createEndpointsService>;
