import { recordAuditEntry } from '../access/audit.ts';
import type { CompanyVersions } from '../access/company-versions.ts';
import type { Caller } from '../caller.ts';
import { write } from '../db/idempotency.ts';
import type { Db, Tx } from '../db/pool.ts';
import { AppError } from '../errors.ts';

/** What a change of a shop's configuration needs. */
export interface ConfigurationDeps {
  db: Db;
  versions: CompanyVersions;
}

/**
 * Runs a write that changes how the shop calculates, and records it in the audit log in the same transaction. This process uses the new
 * configuration before the response is sent, every other process within a second. `action` is noun and verb (`tax_rule.create`), `details`
 * are the given fields; the target in the log is the noun and the record's id.
 */
export async function configure<T extends object>(
  deps: ConfigurationDeps,
  caller: Caller,
  entry: { action: string; details?: object },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const record = await write(deps.db, caller, async (tx) => {
    const done = await work(tx);
    const noun = entry.action.slice(0, entry.action.indexOf('.'));
    await recordAuditEntry(tx, caller.companyId, {
      at: caller.now,
      actor: caller.actor,
      action: entry.action,
      target: 'id' in done ? `${noun}:${done.id}` : noun,
      details: { ...entry.details },
    });
    return done;
  });
  // The write is committed: if this poll fails, the next one repeats it.
  await deps.versions.refresh().catch(() => {});
  return record;
}

/**
 * Processes keep a shop's whole configuration in memory, so its size is bounded. `what` is a plural noun. Throws
 * validation_failed.
 */
export function checkRoom(count: number, most: number, what: string): void {
  if (count >= most) throw new AppError('validation_failed', `A shop has room for ${most} ${what}`, { fields: [] });
}
