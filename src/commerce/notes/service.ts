import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { found } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import type { Note, NoteInput } from './contract.ts';
import * as queries from './queries.ts';

export { deleteNotesOf, moveNotes, notesOfCustomer } from './queries.ts';

export type NotesService = ReturnType<typeof createNotesService>;

/** Notes that the shop's staff write about customers and orders. */
export function createNotesService({ db }: { db: Db }) {
  return {
    /** Newest first; for a customer, includes notes about their orders. Throws not_found. */
    async listNotes(companyId: number, subject: queries.Subject, query: PageQuery): Promise<Page<Note>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const [known, total, rows] = await Promise.all([
        queries.customerOf(lane, companyId, subject),
        queries.countNotes(lane, companyId, subject),
        queries.listNotes(lane, companyId, subject, page),
      ]);
      found(known, subject.kind);
      return { rows: rows.map(noteRecord), total, ...page };
    },

    /** Throws not_found, also for an order whose customer was erased. */
    async createNote(caller: Caller, subject: queries.Subject, { text }: NoteInput): Promise<Note> {
      const { companyId, actor, now } = caller;
      const orderId = subject.kind === 'order' ? subject.id : null;
      const actorName = await queries.findMemberName(db.points(companyId), companyId, actor);
      return write(db, caller, async (tx) => {
        const customerId = found(await queries.lockCustomerOf(tx, companyId, subject), subject.kind);
        const [note] = await queries.insertNotes(tx, companyId, [{ customerId, orderId, text, actor, actorName }], now);
        return noteRecord(note!);
      });
    },

    /** Returns the deleted note. Throws not_found. */
    async deleteNote(caller: Caller, subject: queries.Subject): Promise<Note> {
      return write(db, caller, async (tx) =>
        noteRecord(found(await queries.deleteNote(tx, caller.companyId, subject), 'note')),
      );
    },
  };
}

function noteRecord({ created_at, ...row }: queries.NoteRow): Note {
  return { ...row, created_at: created_at.toISOString() };
}
