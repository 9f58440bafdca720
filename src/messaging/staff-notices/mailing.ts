import type { CompanyCache } from '../../access/company-cache.ts';
import { scopeSetOf } from '../../access/roles.ts';
import type { Clock } from '../../clock.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import type { Slice } from '../../lib/slice.ts';
import type { QueuedMessage } from '../ledger/message.ts';
import { insertMessages } from '../ledger/queries.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { GATHERED_KINDS, KIND_RULES, type NoticeKind } from './kinds.ts';
import { lineOf } from './mail.ts';
import { pathOf } from './paths.ts';
import * as queries from './queries.ts';

/** At most one e-mail of a kind to a person in this time. */
const EVERY_MS = 15 * 60_000;
/** Notices that an e-mail names; it counts the others. */
const NAMED = 10;
const KEPT_MS = 30 * 86_400_000;
const PER_KIND = 1_000;

export interface MailingDeps {
  db: Db;
  clock: Clock;
  companies: CompanyCache<SendingCompany>;
  origin: () => string;
}

/**
 * Writes the e-mails about new notices to the message ledger. What was gathered, the messages and the place up to which they go are one
 * transaction, so that no notice is in two e-mails to one person, after a crash neither. Returns how many e-mails were written.
 */
export async function mailNotices(deps: MailingDeps): Promise<number> {
  let written = 0;
  for (const due of await queries.findDue(deps.db, GATHERED_KINDS, deps.clock.now())) {
    const company = await deps.companies.get(due.company_id);
    // People belong to the installation, so a company's own transaction cannot see them.
    written += await deps.db.tx((tx) => mailKind(deps, tx, company, due));
  }
  return written;
}

async function mailKind(
  { clock, origin }: MailingDeps,
  tx: Tx,
  company: SendingCompany,
  due: queries.DueRow,
): Promise<number> {
  const now = clock.now();
  const upTo = await queries.lockMailing(tx, due, now);
  if (upTo === null) return 0;
  const { count, last } = await queries.countAfter(tx, due, upTo);
  if (count === 0) return 0;
  await queries.updateMailing(tx, due, last, new Date(now.getTime() + EVERY_MS));
  const people = await recipients(tx, due);
  if (people.length === 0) return 0;
  const latest = await queries.latestAfter(tx, due, upTo, NAMED);
  const base = `${origin()}/admin/${due.company_id}`;
  const messages = people.map(({ person_id, email, language }): QueuedMessage => {
    const lines = latest.map(({ record, details }) => ({
      text: lineOf(language, due.kind, record, details),
      url: `${base}/${pathOf(due.kind, record)}`,
    }));
    const more = count - lines.length;
    const data = { language, kind: due.kind, count, more, lines, shop: { name: company.name }, url: `${base}/notices` };
    return {
      idemKey: `t:staff-notice:${due.kind}:${last}:${person_id}`,
      channel: 'email',
      contactId: null,
      recipient: email,
      transactional: true,
      dueAt: now,
      origin: { kind: 'system', template: 'staff_notice', data },
    };
  });
  await insertMessages(tx, due.company_id, messages, now);
  return messages.length;
}

/** Who wants e-mails of the kind and may read its records. */
async function recipients(tx: Tx, { company_id, kind }: queries.DueRow): Promise<queries.Member[]> {
  const members = await queries.findMembers(tx, company_id, kind);
  return members.filter((member) => wantsMail(kind, member));
}

export function wantsMail(kind: NoticeKind, { role, mail }: Pick<queries.Member, 'role' | 'mail'>): boolean {
  const { scope, mailed } = KIND_RULES[kind];
  return scopeSetOf(role).has(scope) && (mail ?? mailed.includes(role));
}

/** Deletes notices of more than 30 days ago. */
export function purgeNotices(db: Queryable, clock: Clock): Slice<true> {
  return async () => {
    const done = await queries.deleteOld(db, new Date(clock.now().getTime() - KEPT_MS), PER_KIND);
    return { done, next: done === 0 ? null : true };
  };
}
