import { type KeyObject, randomBytes } from 'node:crypto';
import type { Caller } from '../../../caller.ts';
import type { Clock } from '../../../clock.ts';
import type { Db, Queryable, Tx } from '../../../db/pool.ts';
import { purgeByAge } from '../../../db/purge.ts';
import { sql } from '../../../db/sql.ts';
import { isCodeOf } from '../../../lib/codes.ts';
import type { Slice } from '../../../lib/slice.ts';
import { chooseLanguage, type Language } from '../../../messaging/consent/languages.ts';
import { queueAccountMail } from '../service.ts';

const VALID_MS = 10 * 60_000;
const ATTEMPTS = 5;
const HOUR_MS = 3_600_000;
/**
 * Codes that one address gets in an hour for one purpose, at the request of one network and of all. A further one is not sent, and the last
 * one stays valid. So a stranger cannot use up those of the owner from one network.
 */
const PER_NETWORK = 6;
const PER_HOUR = 20;

export interface Registration {
  first_name: string;
  last_name: string;
  accepts_marketing: boolean;
}

/** What a code is good for: to sign in with an address, or something that one customer does. */
export interface CodeFor {
  purpose: 'sign_in' | 'change_email' | 'erase';
  /** Normalised. */
  email: string;
  /** Null for `sign_in`. */
  customerId: number | null;
}

/** A code that was entered and is right. */
export interface RightCode extends CodeFor {
  nonce: string;
  registration: Registration | null;
}

/**
 * Mails a new code, in place of the last one for the same. For a known and an unknown address the same statements are run. In place of a
 * code, the customer of a closed account is told that it is closed. `network` is a keyed hash of the network that asks.
 */
export async function mailCode(
  tx: Tx,
  caller: Caller,
  { purpose, email, customerId }: CodeFor,
  { network, registration, standard }: { network: string; registration: Registration | null; standard: Language },
): Promise<void> {
  const { companyId, now } = caller;
  const nonce = randomBytes(16).toString('hex');
  const isOver = sql`o.counted_from <= ${new Date(now.getTime() - HOUR_MS)}`;
  const [issued] = await tx.query<{ closed: boolean; properties: Record<string, unknown> | null }>(sql`
    insert into customer_codes as o (company_id, purpose, email, customer_id, nonce, expires_at, counted_from, asked_from, registration)
    values (${companyId}, ${purpose}, ${email}, ${customerId}, ${nonce}, ${new Date(now.getTime() + VALID_MS)}, ${now},
      ${[network]}, ${registration})
    on conflict (company_id, email, purpose, customer_id) do update set nonce = excluded.nonce, expires_at = excluded.expires_at,
      attempts = 0, registration = excluded.registration,
      counted_from = case when ${isOver} then excluded.counted_from else o.counted_from end,
      mailed = case when ${isOver} then 1 else o.mailed + 1 end,
      asked_from = case when ${isOver} then excluded.asked_from else o.asked_from || excluded.asked_from end
    where ${isOver}
      or (o.mailed < ${PER_HOUR} and cardinality(array_positions(o.asked_from, ${network})) < ${PER_NETWORK})
    returning
      coalesce((select c.account = 'closed' from customers c
        where c.company_id = ${companyId} and lower(c.email) = ${email}), false) as closed,
      (select n.properties from contacts n where n.company_id = ${companyId} and n.email = ${email}) as properties`);
  if (issued === undefined) return;
  const language = chooseLanguage(issued.properties ?? {}, undefined, standard);
  const closed = issued.closed && purpose === 'sign_in';
  await queueAccountMail(tx, caller, email, {
    key: `code:${nonce}`,
    template: closed ? 'account_closed' : `account_${purpose}`,
    data: closed ? { language } : { language, nonce },
  });
}

/**
 * Checks a code; null if it is wrong, expired, or was entered too often. The attempt is counted before the code is compared, in a statement
 * of its own, so that the limit holds for simultaneous requests.
 */
export async function checkCode(
  db: Db,
  tokenKey: KeyObject,
  { companyId, now }: Caller,
  { purpose, email, customerId }: CodeFor,
  code: string,
): Promise<RightCode | null> {
  const [row] = await db.writes(companyId).query<{ nonce: string; registration: Registration | null }>(sql`
    update customer_codes set attempts = attempts + 1
    where company_id = ${companyId} and purpose = ${purpose} and email = ${email}
      and customer_id is not distinct from ${customerId}::bigint and attempts < ${ATTEMPTS} and expires_at > ${now}
    returning nonce, registration`);
  if (row === undefined || !isCodeOf(tokenKey, companyId, row.nonce, code)) return null;
  return { purpose, email, customerId, nonce: row.nonce, registration: row.registration };
}

/** Uses the code up. Returns false if another request has done so. */
export async function takeCode(tx: Tx, companyId: number, { email, purpose, nonce }: RightCode): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from customer_codes
    where company_id = ${companyId} and email = ${email} and purpose = ${purpose} and nonce = ${nonce} returning id`);
  return rows.length > 0;
}

/** Deletes codes that count for no limit any more. */
export function purgeCustomerCodes(db: Queryable, clock: Clock): Slice<Date> {
  const before = (): Date => new Date(clock.now().getTime() - HOUR_MS);
  return purgeByAge(db, { table: 'customer_codes', column: 'expires_at', before });
}
