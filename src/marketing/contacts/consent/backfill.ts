import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Leaving, Suppressions } from '../../../messaging/suppressions/suppressions.ts';

/** Contacts per transaction, about 20 ms of work. */
const SLICE = 1_000;

/**
 * Suppresses the addresses of contacts that unsubscribed or bounced before suppressions were stored by address. Processes one slice
 * of contacts per call; returns its size, 0 when all are done.
 */
export async function backfillSuppressions(db: Db, suppressions: Suppressions, now: Date): Promise<number> {
  const companyId = await nextCompany(db);
  if (companyId === null) return 0;
  return db.tenantTx(companyId, async (tx) => {
    const after = await lockBackfill(tx, companyId);
    if (after === null) return 0;
    const contacts = await findLeft(tx, companyId, after);
    await suppressions.keep(tx, companyId, contacts, now);
    const last = contacts.at(-1);
    await (last === undefined ? endBackfill(tx, companyId) : moveBackfill(tx, companyId, last.id));
    return contacts.length;
  });
}

async function nextCompany(db: Queryable): Promise<number | null> {
  const rows = await db.query<{ company_id: number }>(sql`
    select company_id from suppression_backfills order by company_id limit 1`);
  return rows[0]?.company_id ?? null;
}

/** Null if another process is working on it, or it is done. */
async function lockBackfill(tx: Tx, companyId: number): Promise<number | null> {
  const rows = await tx.query<{ after_contact_id: number }>(sql`
    select after_contact_id from suppression_backfills where company_id = ${companyId} for update skip locked`);
  return rows[0]?.after_contact_id ?? null;
}

function findLeft(tx: Tx, companyId: number, after: number): Promise<(Leaving & { id: number })[]> {
  return tx.query(sql`
    select id, email, phone, email_consent, email_consent_source, sms_consent, sms_consent_source, email_bounced
    from contacts
    where company_id = ${companyId} and id > ${after}
      and (email_consent = 'unsubscribed' or sms_consent = 'unsubscribed' or email_bounced)
    order by id limit ${SLICE} for no key update`);
}

async function moveBackfill(tx: Tx, companyId: number, after: number): Promise<void> {
  await tx.query(sql`update suppression_backfills set after_contact_id = ${after} where company_id = ${companyId}`);
}

async function endBackfill(tx: Tx, companyId: number): Promise<void> {
  await tx.query(sql`delete from suppression_backfills where company_id = ${companyId}`);
}
