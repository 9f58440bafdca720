import { recordAuditEntry } from '../../access/audit.ts';
import type { MasterKey } from '../../access/master-key.ts';
import { newWebhookSecret } from '../../access/webhook-secrets.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { found, invalidField } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { refusedUrl } from '../../net/safe-fetch.ts';
import type { EndpointInput, EndpointPatch, WebhookEndpoint } from './contract.ts';
import { failPending } from './delivery-queries.ts';
import * as queries from './queries.ts';

const MAX_ENDPOINTS = 50;

export interface EndpointDeps {
  db: Db;
  masterKey: MasterKey;
  config: { allowPrivateWebhooks: boolean };
}

export type EndpointsService = ReturnType<typeof createEndpointsService>;

/** The endpoints of a company to which outgoing webhooks are delivered. */
export function createEndpointsService({ db, masterKey, config }: EndpointDeps) {
  return {
    async listEndpoints(
      companyId: number,
      query: { page?: number; per_page?: number },
    ): Promise<Page<WebhookEndpoint>> {
      const { page, perPage, ...bounds } = pageOf(query);
      const { rows, total } = await queries.listEndpoints(db.lists(companyId), companyId, bounds);
      return { rows: rows.map(endpointRecord), total, page, perPage };
    },

    /** Throws not_found. */
    async getEndpoint(companyId: number, id: number): Promise<WebhookEndpoint> {
      return endpointRecord(found(await queries.findEndpoint(db.points(companyId), companyId, id), 'webhook endpoint'));
    },

    /** Creates an endpoint. Its secret is in this response only. Throws validation_failed. */
    async createEndpoint(caller: Caller, input: EndpointInput): Promise<WebhookEndpoint & { secret: string }> {
      const { companyId, now } = caller;
      checkUrl(input.url, config);
      const secret = newWebhookSecret();
      return write(db, caller, async (tx) => {
        if ((await queries.countEndpoints(tx, companyId)) >= MAX_ENDPOINTS) {
          throw invalidField('url', `A company has at most ${MAX_ENDPOINTS} endpoints`);
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
    },

    /**
     * Sets the given fields. Enabling clears the failure state; disabling fails pending deliveries, which can be replayed.
     * Throws not_found, validation_failed.
     */
    async updateEndpoint(caller: Caller, id: number, patch: EndpointPatch): Promise<WebhookEndpoint> {
      const { companyId, now } = caller;
      if (patch.url !== undefined) checkUrl(patch.url, config);
      return write(db, caller, async (tx) => {
        const old = found(await queries.findEndpoint(tx, companyId, id, true), 'webhook endpoint');
        const row = await queries.updateEndpoint(tx, companyId, patched(old, patch), now);
        if (old.active && !row.active) await failPending(tx, companyId, id, 'the endpoint was switched off', now);
        await audit(tx, caller, 'webhook_endpoint.update', id, { ...patch });
        return endpointRecord(row);
      });
    },

    /** Throws not_found. */
    async deleteEndpoint(caller: Caller, id: number): Promise<{ endpoint_id: number; deleted: boolean }> {
      return write(db, caller, async (tx) => {
        found((await queries.deleteEndpoint(tx, caller.companyId, id)) || undefined, 'webhook endpoint');
        await audit(tx, caller, 'webhook_endpoint.delete', id);
        return { endpoint_id: id, deleted: true };
      });
    },
  };
}

function checkUrl(url: string, config: { allowPrivateWebhooks: boolean }): void {
  const reason = refusedUrl(url, config.allowPrivateWebhooks);
  if (reason !== null) throw invalidField('url', `url: ${reason}`);
}

function patched(old: queries.EndpointRow, patch: EndpointPatch): queries.EndpointRow {
  const enabled = patch.active === true && !old.active;
  return {
    ...old,
    url: patch.url ?? old.url,
    event_types: patch.event_types ?? old.event_types,
    description: patch.description ?? old.description,
    active: patch.active ?? old.active,
    disabled_reason: patch.active === undefined ? old.disabled_reason : null,
    failing_since: enabled ? null : old.failing_since,
  };
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
