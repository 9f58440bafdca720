import { requirePerson } from '../../access/person-audit.ts';
import type { Session } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { found, invalidField } from '../../errors.ts';
import type { SavedView, SavedViewInput } from './contract.ts';
import * as queries from './queries.ts';

const MOST = 50;

export type ViewsService = ReturnType<typeof createViewsService>;

/** A person's own views of a company's lists. */
export function createViewsService({ db }: { db: Db }) {
  return {
    async listViews({ companyId }: Caller, { personId }: Session, list: string): Promise<{ views: SavedView[] }> {
      if (personId === null) return { views: [] };
      return { views: await queries.listViews(db.points(companyId), { companyId, personId }, list) };
    },

    /** Replaces the view of that name. Throws forbidden_role for the operator, validation_failed beyond 50. */
    async saveView(caller: Caller, session: Session, input: SavedViewInput): Promise<SavedView> {
      const owner = { companyId: caller.companyId, personId: requirePerson(session) };
      return write(db, caller, async (tx) => {
        await queries.lockOwner(tx, owner);
        if ((await queries.countOthers(tx, owner, input)) >= MOST) {
          throw invalidField('name', `There are ${MOST} views of this list: delete one first`, 'too_many');
        }
        return queries.upsertView(tx, owner, input, caller.now);
      });
    },

    /** Returns the view as it was. Throws forbidden_role for the operator, not_found. */
    async deleteView(caller: Caller, session: Session, id: number): Promise<SavedView> {
      const owner = { companyId: caller.companyId, personId: requirePerson(session) };
      return write(db, caller, async (tx) => found(await queries.deleteView(tx, owner, id), 'view'));
    },
  };
}
