import type { Clock } from '../../clock.ts';
import type { Queryable } from '../../db/pool.ts';
import { purgeByAge } from '../../db/purge.ts';
import { AppError } from '../../errors.ts';
import type { Slice } from '../../lib/slice.ts';
import { type ActionName, TAGGING } from './contract.ts';
import type { BulkInput, BulkRow } from './queries.ts';
import * as queries from './undo-queries.ts';

const KEPT_DAYS = 7;
/** Changes of larger actions are not stored: this many ids take 10 MB. */
const MOST_KEPT = 1_000_000;

/** Whether the contacts changed by an action are stored. */
export function isKept({ action, total }: { action: ActionName; total: number }): boolean {
  return TAGGING.includes(action) && total <= MOST_KEPT;
}

/** Returns the input for undoing an action. Throws bad_request if it cannot be undone. */
export async function requireUndo(db: Queryable, companyId: number, row: BulkRow): Promise<Required<BulkInput>> {
  const refusal = (why: string) => new AppError('bad_request', `The action cannot be taken back: ${why}`);
  if (row.status === 'running') throw refusal('it is still under way');
  const { kept, undone } = await queries.findUndo(db, companyId, row.id);
  if (undone) throw refusal('it was already');
  if (!kept) throw refusal(`it changed no contact or more than ${MOST_KEPT}, or is older than ${KEPT_DAYS} days`);
  return { of: row.id, tag: row.input.tag ?? '', added: row.action === 'tag_contacts' };
}

/** Deletes stored changes that are too old. */
export function purgeBulkChanges(db: Queryable, clock: Clock): Slice<Date> {
  const before = (): Date => new Date(clock.now().getTime() - KEPT_DAYS * 86_400_000);
  return purgeByAge(db, { table: 'bulk_action_changes', column: 'created_at', before });
}
