import type { Queryable } from '../db/pool.ts';
import type { Finding } from '../invariants.ts';
import { findBodyOnlySenders } from '../marketing/webhook/service.ts';

/** How far back senders are looked at. */
const SHOWN_MS = 30 * 24 * 3_600_000;

/**
 * The companies whose senders sign webhooks without a timestamp: allowed, and so nothing that is wrong, but whoever sees such a
 * request can send it again.
 */
export async function webhookSenders(db: Queryable, now: Date): Promise<Finding> {
  const senders = await findBodyOnlySenders(db, new Date(now.getTime() - SHOWN_MS));
  const open = senders.filter((sender) => !sender.require_timestamp);
  const fix =
    'Have them sign with a timestamp (tradeloom webhooks sign shows how), then tradeloom webhooks settings --require-timestamp';
  return {
    id: 'webhook_signatures',
    promise: 'Webhooks that come in are signed with a timestamp',
    ok: true,
    violations: 0,
    examples: open.map(({ company_id, body_only_at }) => ({
      company_id,
      subject: `took one signed over the body alone on ${body_only_at.toISOString().slice(0, 10)}`,
    })),
    fix: open.length > 0 ? fix : null,
  };
}
