import { requirePerson } from '../../access/person-audit.ts';
import type { AdminSessions, Session } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import type { NoticeChoice, NoticeRead, StaffNotice } from './contract.ts';
import { choicesOf, type NoticeKind } from './kinds.ts';
import * as queries from './queries.ts';

export { mailNotices, purgeNotices } from './mailing.ts';
export { noteEvents } from './record.ts';

export interface StaffNoticesDeps {
  db: Db;
  sessions: Pick<AdminSessions, 'standingIn'>;
}

export type StaffNoticesService = ReturnType<typeof createStaffNoticesService>;

/** What a person is told of in a company. */
export function createStaffNoticesService({ db, sessions }: StaffNoticesDeps) {
  async function choicesFor(queryable: Queryable, companyId: number, session: Session, personId: number) {
    const { role, scopes } = sessions.standingIn(session, companyId);
    return choicesOf(role, scopes, await queries.findChoices(queryable, { companyId, personId }));
  }

  /** The kinds that are listed in the app. */
  async function kindsFor(queryable: Queryable, companyId: number, session: Session, personId: number) {
    const choices = await choicesFor(queryable, companyId, session, personId);
    return [...choices].filter(([, { app }]) => app).map(([kind]) => kind);
  }

  async function unreadOf(queryable: Queryable, companyId: number, session: Session): Promise<{ unread: number }> {
    const { personId } = session;
    if (personId === null) return { unread: 0 };
    const kinds = await kindsFor(queryable, companyId, session, personId);
    const unread = await queries.countUnread(queryable, { companyId, personId }, kinds);
    return { unread: Math.min(unread, queries.LATEST) };
  }

  return {
    async listNotices({ companyId }: Caller, session: Session): Promise<{ notices: StaffNotice[] }> {
      const { personId } = session;
      if (personId === null) return { notices: [] };
      const read = db.points(companyId);
      const kinds = await kindsFor(read, companyId, session, personId);
      const rows = await queries.listNotices(read, { companyId, personId }, kinds);
      return {
        notices: rows.slice(0, queries.LATEST).map(({ created_at, ...row }) => ({
          ...row,
          created_at: created_at.toISOString(),
        })),
      };
    },

    async countUnread({ companyId }: Caller, session: Session): Promise<{ unread: number }> {
      return unreadOf(db.points(companyId), companyId, session);
    },

    /** Throws forbidden_role for the operator. */
    async readNotice(caller: Caller, session: Session, { id, before }: NoticeRead): Promise<{ unread: number }> {
      const reader = { companyId: caller.companyId, personId: requirePerson(session) };
      return write(db, caller, async (tx) => {
        await (before === true ? queries.readUpTo : queries.readOne)(tx, reader, id);
        return unreadOf(tx, caller.companyId, session);
      });
    },

    async listChoices({ companyId }: Caller, session: Session): Promise<{ choices: NoticeChoice[] }> {
      if (session.personId === null) return { choices: [] };
      return inOrder(await choicesFor(db.points(companyId), companyId, session, session.personId));
    },

    /** Throws forbidden_role for the operator, and for a kind that the person may not read. */
    async choose(caller: Caller, session: Session, choice: NoticeChoice): Promise<{ choices: NoticeChoice[] }> {
      const { companyId } = caller;
      const personId = requirePerson(session);
      return write(db, caller, async (tx) => {
        const choices = await choicesFor(tx, companyId, session, personId);
        if (!choices.has(choice.kind)) throw new AppError('forbidden_role', 'Your role may not read this');
        await queries.upsertChoice(tx, { companyId, personId }, choice.kind, choice);
        choices.set(choice.kind, { app: choice.app, mail: choice.mail });
        return inOrder(choices);
      });
    },
  };
}

function inOrder(choices: ReadonlyMap<NoticeKind, { app: boolean; mail: boolean }>): { choices: NoticeChoice[] } {
  return { choices: [...choices].map(([kind, { app, mail }]) => ({ kind, app, mail })) };
}
