import type { Queryable, Tx } from '../../../db/pool.ts';
import { sql } from '../../../db/sql.ts';
import type { Channel, ConsentSource, ConsentState, Evidence } from '../../../recipients/consent.ts';

/** An entry of the consent history. `was` is the previous state, null in the first entry. */
export interface ConsentRow {
  contactId: number;
  channel: Channel;
  state: ConsentState;
  source: ConsentSource;
  address: string | null;
  evidence: Evidence | undefined;
  was: { state: ConsentState; since: Date; source: ConsentSource } | null;
  at: Date;
}

export function insertConsents(tx: Tx, companyId: number, rows: ConsentRow[]): Promise<unknown> {
  return tx.query(sql`
    insert into contact_consents (company_id, contact_id, channel, state, source, address, text, ip, user_agent, was,
      was_since, was_source, created_at)
    select ${companyId}, contact_id, channel, state, source, address, text, ip, user_agent, was, was_since, was_source,
      created_at
    from json_to_recordset(${JSON.stringify(rows.map(storedRow))}::json) as v (contact_id bigint, channel text, state text,
      source text, address text, text text, ip text, user_agent text, was text, was_since timestamptz, was_source text,
      created_at timestamptz)`);
}

function storedRow({ contactId, channel, state, source, address, evidence, was, at }: ConsentRow): object {
  return {
    contact_id: contactId,
    channel,
    state,
    source,
    address,
    text: evidence?.text,
    ip: evidence?.ip,
    user_agent: evidence?.userAgent,
    was: was?.state,
    was_since: was?.since,
    was_source: was?.source,
    created_at: at,
  };
}

export interface StoredConsent {
  channel: Channel;
  state: ConsentState;
  source: ConsentSource;
  address: string | null;
  text: string | null;
  ip: string | null;
  user_agent: string | null;
  was: ConsentState | null;
  was_since: Date | null;
  was_source: ConsentSource | null;
  created_at: Date;
}

/** Oldest first. */
export function findConsentHistory(db: Queryable, companyId: number, contactId: number): Promise<StoredConsent[]> {
  return db.query<StoredConsent>(sql`
    select channel, state, source, address, text, ip, user_agent, was, was_since, was_source, created_at
    from contact_consents where company_id = ${companyId} and contact_id = ${contactId} order by id`);
}
