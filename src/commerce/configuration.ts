import { recordDeed } from '../access/audit.ts';
import type { CompanyVersions } from '../access/company-versions.ts';
import type { Caller } from '../caller.ts';
import { write } from '../db/idempotency.ts';
import type { Db, Tx } from '../db/pool.ts';
import { AppError } from '../errors.ts';

/** What a change of a shop's configuration needs of the app. */
export interface ConfigurationDeps {
  db: Db;
  versions: CompanyVersions;
}

/**
 * A deed that changes how the shop calculates: written to the audit log in its own transaction, seen by this process from
 * the answer on and by every other within a second. `action` is noun and verb (`tax_rule.create`), `details` what was
 * given; the noun and the record's id are what the log names as changed.
 */
export async function configure<T extends object>(
  deps: ConfigurationDeps,
  caller: Caller,
  deed: { action: string; details?: object },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const record = await write(deps.db, caller, async (tx) => {
    const done = await work(tx);
    const noun = deed.action.slice(0, deed.action.indexOf('.'));
    await recordDeed(tx, caller.companyId, {
      at: caller.now,
      actor: caller.actor,
      action: deed.action,
      target: 'id' in done ? `${noun}:${done.id}` : noun,
      details: { ...deed.details },
    });
    return done;
  });
  // The deed is done: should this look fail, the next poll makes up for it.
  await deps.versions.refresh().catch(() => {});
  return record;
}

/** Processes keep the whole configuration of a shop in memory, so that it has an end. `what` is a plural noun. */
export function checkRoom(count: number, most: number, what: string): void {
  if (count >= most) throw new AppError('validation_failed', `A shop has room for ${most} ${what}`, { fields: [] });
}
