import { recordAuditEntry } from '../../access/audit.ts';
import type { Db } from '../../db/pool.ts';
import { found } from '../../errors.ts';
import { mergeWebhookSettings } from './queries.ts';

/** companies.settings.webhook; absent fields have their defaults. */
export interface WebhookSettings {
  /** Rejects signatures without a timestamp, which can be replayed at any time. Default false. */
  require_timestamp: boolean;
  /** Default 60,000; 0 means no limit. */
  requests_per_hour: number;
}

export const DEFAULTS: WebhookSettings = { require_timestamp: false, requests_per_hour: 60_000 };

/** The webhook settings from companies.settings, with defaults. */
export function webhookSettingsOf(settings: Record<string, unknown> | undefined): WebhookSettings {
  return { ...DEFAULTS, ...(settings?.webhook as Partial<WebhookSettings> | undefined) };
}

/** Changes the given settings, and returns all of them. Throws not_found for an unknown company. */
export async function changeWebhookSettings(
  db: Db,
  companyId: number,
  settings: Partial<WebhookSettings>,
  { now, actor }: { now: Date; actor: string },
): Promise<WebhookSettings> {
  return db.tx(async (tx) => {
    const merged = found(await mergeWebhookSettings(tx, companyId, settings), `company ${companyId}`);
    if (Object.keys(settings).length > 0) {
      const target = `company:${companyId}`;
      await recordAuditEntry(tx, companyId, { at: now, actor, action: 'webhook.update', target, details: settings });
    }
    return { ...DEFAULTS, ...merged };
  });
}
