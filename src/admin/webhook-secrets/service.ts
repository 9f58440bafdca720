import { recordAuditEntry } from '../../access/audit.ts';
import type { MasterKey } from '../../access/master-key.ts';
import { findCompany } from '../../access/service.ts';
import * as secrets from '../../access/webhook-secret-queries.ts';
import { newWebhookSecret } from '../../access/webhook-secrets.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, found } from '../../errors.ts';
import { webhookSettingsOf } from '../../marketing/webhook/service.ts';
import type { ShownSecret, WebhookSecret, WebhookSecrets } from './contract.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_OVERLAP_HOURS = 24;
/** Every request is checked against each of them. */
const MAX_LIVE = 5;

export type WebhookSecretsService = ReturnType<typeof createWebhookSecretsService>;

interface WebhookSecretsDeps {
  db: Db;
  masterKey: Pick<MasterKey, 'seal' | 'open'>;
  origin: () => string;
}

/** The secrets of a company's signed webhook, for people. */
export function createWebhookSecretsService({ db, masterKey, origin }: WebhookSecretsDeps) {
  return {
    async listSecrets({ companyId, now }: Caller): Promise<WebhookSecrets> {
      const lane = db.points(companyId);
      const [rows, company] = await Promise.all([
        secrets.listSecrets(lane, companyId, 'webhook'),
        findCompany(lane, companyId),
      ]);
      const { require_timestamp } = webhookSettingsOf(company?.settings);
      const url = `${origin()}/marketing/webhook`;
      return { url, require_timestamp, secrets: rows.map((row) => ({ ...dates(row), status: statusOf(row, now) })) };
    },

    /** Throws not_found, also for an expired secret. */
    async showSecret(caller: Caller, id: number): Promise<ShownSecret> {
      const { companyId, now, actor } = caller;
      return write(db, caller, async (tx) => {
        const rows = await secrets.listSecrets(tx, companyId, 'webhook');
        const row = found(
          rows.find((one) => one.id === id && statusOf(one, now) !== 'expired'),
          'webhook secret',
        );
        const entry = { action: 'webhook_secret.show', target: `webhook_secret:${id}` };
        await recordAuditEntry(tx, companyId, { at: now, actor, ...entry });
        return { ...dates(row), secret: masterKey.open(row.ciphertext) };
      });
    },

    /** Throws validation_failed if too many old ones are still accepted. */
    async rotateSecret(caller: Caller, overlapHours = DEFAULT_OVERLAP_HOURS): Promise<ShownSecret> {
      const { companyId, now, actor } = caller;
      const secret = newWebhookSecret();
      const expiresAt = new Date(now.getTime() + overlapHours * HOUR_MS);
      return write(db, caller, async (tx) => {
        await secrets.lockSecrets(tx, companyId);
        await secrets.expireSecrets(tx, companyId, 'webhook', expiresAt);
        const rows = await secrets.listSecrets(tx, companyId, 'webhook');
        if (rows.filter((row) => statusOf(row, now) !== 'expired').length >= MAX_LIVE) {
          throw new AppError(
            'validation_failed',
            `${MAX_LIVE} secrets are accepted already: wait until one ends, or replace it with an overlap of 0`,
          );
        }
        const id = await secrets.insertSecret(tx, companyId, {
          kind: 'webhook',
          ciphertext: masterKey.seal(secret),
          now,
        });
        const details = { overlap_hours: overlapHours };
        const entry = { action: 'webhook_secret.rotate', target: `webhook_secret:${id}`, details };
        await recordAuditEntry(tx, companyId, { at: now, actor, ...entry });
        return { ...dates({ id, created_at: now, expires_at: null }), secret };
      });
    },
  };
}

function dates(row: Pick<secrets.SecretRow, 'id' | 'created_at' | 'expires_at'>) {
  return {
    id: row.id,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}

function statusOf({ expires_at }: secrets.SecretRow, now: Date): WebhookSecret['status'] {
  if (expires_at === null) return 'active';
  return expires_at > now ? 'expiring' : 'expired';
}
