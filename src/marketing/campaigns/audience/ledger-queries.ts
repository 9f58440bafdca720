import { constraintOf, type Tx } from '../../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../../db/sql.ts';
import { UNTIL_RELEASED } from '../../../messaging/ledger/message.ts';
import { insertHeldOut, isNotHeldOut } from '../hold-out/draw-queries.ts';
import type { DueTimes } from '../time-zones/due-times.ts';
import { boundsOf } from '../variants/variants.ts';
import type { Audience } from './recipient-queries.ts';

/**
 * Inserts a message for each recipient who is not held out. The variant, and who waits for the winner, are drawn from the
 * contact's id, so that a repetition draws the same.
 * @param written `none` promises that no recipient has a message yet, which saves 20 % of the time; if one has, the statement
 *   fails (see `wereWritten`). With `some`, existing messages are left unchanged.
 */
export async function insertMessages(
  tx: Tx,
  { companyId, campaign }: Audience,
  ids: readonly number[],
  { now, due, written }: Insertion,
): Promise<void> {
  const { keys, bounds, total } = boundsOf(campaign.variants);
  const variant =
    keys.length === 0
      ? rawSql('null')
      : sql`(
          select v.key from unnest(${keys}::text[], ${bounds}::bigint[]) as v (key, bound)
          where not a.waits and v.bound > (hashint8extended(a.id, ${campaign.id}::bigint) & 2147483647) % ${total}::bigint
          order by v.bound limit 1)`;
  if (ids.length === 0) return;
  const [moment] = due.moments;
  const isOne = due.moments.length === 1;
  const heldOut = campaign.holdout_percent > 0 ? insertHeldOut(tx, companyId, campaign, ids) : null;
  const messages = tx.query(sql`
    insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, due_at, origin, campaign_id,
      variant, created_at)
    select ${companyId}, 'c:' || ${campaign.id}::bigint || ':' || a.id, ${campaign.type}, false, 2, a.id,
      case when a.waits then ${UNTIL_RELEASED}::timestamptz else ${isOne ? sql`${moment!}::timestamptz` : sql`(${due.moments}::timestamptz[])[a.place]`} end, 'campaign',
      ${campaign.id}::bigint, ${variant}, ${now}::timestamptz
    from (
      select ${isOne ? sql`id` : sql`id, place`}, (hashint8extended(id, -${campaign.id}::bigint) & 2147483647) % 100 >= ${campaign.ab_test?.share ?? 100} as waits
      from ${isOne ? sql`unnest(${ids}::bigint[]) r (id)` : sql`unnest(${ids}::bigint[], ${ids.map(due.placeOf)}::int[]) r (id, place)`}
    ) a
    ${heldOut === null ? emptySql : sql`where ${isNotHeldOut(companyId, campaign.id, ids)}`}
    ${written === 'none' ? emptySql : rawSql('on conflict (company_id, idem_key) do nothing')}`);
  // Pipelined: the second sees what the first wrote.
  await Promise.all([heldOut, messages]);
}

export type Written = 'none' | 'some';

export interface Insertion {
  now: Date;
  due: DueTimes;
  written: Written;
}

/** Whether `insertMessages` failed because a recipient has a message already. */
export function wereWritten(error: unknown): boolean {
  return constraintOf(error) === 'messages_company_id_idem_key_key';
}

/**
 * Makes the transaction's COMMIT not wait for the disk. No response depends on it, and every later commit that builds on it is
 * flushed after it; a part that is lost in a crash is lost together with the cursor, and is written again.
 */
export async function commitAsynchronously(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('synchronous_commit', 'off', true)`);
}

/** Lets the transaction idle without a timeout: it holds no lock until its statements are sent together with COMMIT. */
export async function allowIdle(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('idle_in_transaction_session_timeout', '0', true)`);
}

/**
 * Prevents the deletion of the campaign until COMMIT, also while another transaction has it locked for an update. Fails with
 * serialization_failure if it is deleted already.
 */
export async function lockAgainstDeletion(tx: Tx, companyId: number, campaignId: number): Promise<void> {
  await tx.query(sql`
    select fail_serialization('The campaign was deleted')
    where not exists (select from campaigns where company_id = ${companyId} and id = ${campaignId} for key share)`);
}

export async function countMessages(tx: Tx, companyId: number, campaignId: number): Promise<number> {
  const rows = await tx.query<{ n: number }>(sql`
    select count(*) as n from messages where company_id = ${companyId} and campaign_id = ${campaignId}`);
  return rows[0]!.n;
}
