import type { Queryable } from '../db/pool.ts';
import type { Finding } from '../invariants.ts';
import { findBodyOnlySenders } from '../marketing/webhook/service.ts';

/** Senders of this period are reported. */
const SHOWN_MS = 30 * 24 * 3_600_000;

/**
 * Reports companies whose senders sign webhooks without a timestamp. That is allowed, and so not a violation, but anyone who sees such
 * a request can replay it.
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
