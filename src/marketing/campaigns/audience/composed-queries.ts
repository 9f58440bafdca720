import type { Queryable, Tx } from '../../../db/pool.ts';
import { rawSql, type Statement, sql } from '../../../db/sql.ts';
import { segmentCondition } from '../../segments/service.ts';
import type { AudienceColumns, AudiencePart, ComposedAudience } from './composition.ts';
import { type Audience, isReachable } from './recipient-queries.ts';

/** What shows that a message was read, or that it did not arrive or was not wanted. Opens by machines do not count. */
const READ_OR_REFUSED = rawSql("('opened', 'bounced', 'complained', 'unsubscribed')");

/**
 * The reachable contacts of all parts without those of the exclusions, each once. All in one statement, so that it sees all contacts at
 * the same moment. The caller checks that everything it names exists: a segment that does not has no contacts.
 */
export async function composedRecipients(
  tx: Tx,
  audience: Audience,
  { audiences, exclude, member_of }: ComposedAudience,
): Promise<Statement> {
  const { companyId, startedAt } = audience;
  const statementOf = (part: AudiencePart): Promise<Statement> => contactsOf(tx, audience, part, member_of);
  const [first, ...others] = await Promise.all(audiences.map(statementOf));
  const excluded = await Promise.all(exclude.map(statementOf));
  if (first === undefined) return sql`select c.id from contacts c where c.company_id = ${companyId} and false`;
  const included = others.reduce((all, one) => sql`${all} union (${one})`, sql`(${first})`);
  const recipients = sql`
    select c.id from (${included}) p join contacts c on c.company_id = ${companyId} and c.id = p.id
    where ${isReachable(audience)} and c.created_at <= ${startedAt}`;
  return excluded.reduce((left, one) => sql`(${left}) except (${one})`, recipients);
}

async function contactsOf(
  tx: Tx,
  { companyId, startedAt }: Audience,
  { list_id, segment_id, unopened_campaign_id }: AudiencePart,
  memberOf: number[] | null,
): Promise<Statement> {
  if (list_id !== undefined) {
    return sql`
      select m.contact_id as id from list_memberships m
      where m.company_id = ${companyId} and m.list_id = ${list_id} and m.status = 'active' and m.created_at <= ${startedAt}`;
  }
  if (segment_id !== undefined) {
    const condition = await segmentCondition(tx, companyId, segment_id, startedAt, 'current');
    return sql`select c.id from contacts c where c.company_id = ${companyId} and ${condition}`;
  }
  return unopenedBy(companyId, unopened_campaign_id!, memberOf);
}

/** A merged contact may have several messages of the campaign: to have opened one is enough. */
function unopenedBy(companyId: number, campaignId: number, memberOf: number[] | null): Statement {
  const all = sql`
    select m.contact_id as id from messages m
    left join (
      select a.message_id from message_activity a
      where a.company_id = ${companyId} and a.type in ${READ_OR_REFUSED}
        and a.message_id >= (select min(id) from messages where company_id = ${companyId} and campaign_id = ${campaignId})
        and a.message_id <= (select max(id) from messages where company_id = ${companyId} and campaign_id = ${campaignId})
      group by a.message_id
    ) a on a.message_id = m.id
    where m.company_id = ${companyId} and m.campaign_id = ${campaignId} and m.status = 'sent' and m.contact_id is not null
    group by m.contact_id having count(a.message_id) = 0`;
  if (memberOf === null) return all;
  return sql`
    select u.id from (${all}) u
    where u.id in (
      select l.contact_id from list_memberships l
      where l.company_id = ${companyId} and l.list_id = any(${memberOf}::bigint[]) and l.status = 'active')`;
}

/**
 * The lists on one of which a recipient must stay, as for a campaign to one list: those of an audience of lists only, and of the first
 * campaign for those who did not open it. null: the audience has other parts, too.
 */
export async function findRequiredLists(
  db: Queryable,
  companyId: number,
  audiences: AudiencePart[],
): Promise<number[] | null> {
  const [only] = audiences;
  if (audiences.length === 1 && only?.unopened_campaign_id !== undefined) {
    const rows = await db.query<AudienceColumns>(sql`
      select list_id, segment_id, audience from campaigns
      where company_id = ${companyId} and id = ${only.unopened_campaign_id}`);
    const [row] = rows;
    return row?.list_id == null ? (row?.audience?.member_of ?? null) : [row.list_id];
  }
  const lists = audiences.map(({ list_id }) => list_id);
  return lists.length > 0 && lists.every((id) => id !== undefined) ? [...new Set(lists)] : null;
}
