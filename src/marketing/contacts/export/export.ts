import { type KeysetPage, keysetPages } from '../../../db/keyset-pages.ts';
import type { Queryable } from '../../../db/pool.ts';
import { type Statement, sql } from '../../../db/sql.ts';
import { JsonPages, Streamed } from '../../../lib/streamed.ts';
import { getConsentHistory } from '../consent/history.ts';
import { getContact } from '../load.ts';
import { idsWithMerged } from '../merge/merge.ts';
import { eventEntries, messageEntries } from '../timeline/queries.ts';
import type { ContactExport } from './contract.ts';

/** Everything that is stored about the contact, read while it is being sent. Throws not_found. */
export async function exportContact(
  db: Queryable,
  companyId: number,
  contactId: number,
): Promise<Streamed<ContactExport>> {
  const [contact, { consents }] = await Promise.all([
    getContact(db, companyId, contactId),
    getConsentHistory(db, companyId, contactId),
  ]);
  type PageOf = (companyId: number, contactId: number, page: KeysetPage) => Statement;
  const pages = (pageOf: PageOf, order: 'asc' | 'desc' = 'desc'): JsonPages =>
    new JsonPages(keysetPages(db, order, (page) => pageOf(companyId, contactId, page)));
  const before = ({ after, limit }: KeysetPage) => ({ before: after, limit });
  return new Streamed<ContactExport>({
    contact,
    consents,
    memberships: pages(memberships, 'asc'),
    events: pages((company, id, page) => eventEntries(company, id, before(page))),
    messages: pages((company, id, page) => messageEntries(company, id, before(page))),
    activity: pages(activity),
    flow_runs: pages(runs),
    notifications: pages(notifications),
    mails: pages(mails),
    form_submissions: pages(submissions),
    hold_outs: pages(holdOuts),
  });
}

/* Parts of a contact's export in addition to its timeline, as statements for `keysetPages` with `id` and `data`. */

/** Memberships of lists, by list id. */
function memberships(companyId: number, contactId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select m.list_id as id, json_build_object('list_id', m.list_id, 'name', l.name, 'status', m.status,
      'consent_at', to_char(m.consent_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      'consent_source', m.consent_source, 'consent_ip', m.consent_ip,
      'created_at', to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')) as data
    from list_memberships m join lists l on l.company_id = m.company_id and l.id = m.list_id
    where m.company_id = ${companyId} and m.contact_id = ${contactId} and m.list_id > ${after}
    order by m.list_id limit ${limit}`;
}

/** Changes of the contact itself, newest first. */
function activity(companyId: number, contactId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select id, json_build_object('type', type,
      'at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), 'data', data) as data
    from contact_activity
    where company_id = ${companyId} and contact_id = ${contactId} and id < ${after} order by id desc limit ${limit}`;
}

/** Runs of flows with their triggering event, variables and log, newest first. */
function runs(companyId: number, contactId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select r.id, json_build_object('run_id', r.id, 'flow_id', r.flow_id,
      'status', case r.status when 'paused' then 'active' else r.status end, 'reason', r.reason, 'step_id', r.step_id,
      'entered_at', to_char(r.entered_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      'ended_at', to_char(r.ended_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), 'event_data', r.event -> 'data',
      'vars', r.state -> 'vars', 'log', coalesce((
        select json_agg(json_build_object('at', to_char(l.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
          'entries', l.entries) order by l.seq)
        from flow_run_log l where l.company_id = r.company_id and l.run_id = r.id), '[]')) as data
    from flow_runs r
    where r.company_id = ${companyId} and r.contact_id = ${contactId} and r.id < ${after} order by r.id desc limit ${limit}`;
}

/** Submissions of signup forms, newest first. */
function submissions(companyId: number, contactId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select id, json_build_object('form_id', form_id, 'phone', phone, 'given', given, 'consent_text', consent_text, 'ip', ip,
      'user_agent', user_agent, 'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      'email_confirmed_at', to_char(email_confirmed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      'sms_confirmed_at', to_char(sms_confirmed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')) as data
    from form_submissions
    where company_id = ${companyId} and contact_id = ${contactId} and id < ${after} order by id desc limit ${limit}`;
}

/** Notifications of flows to the shop's staff about the contact, newest first. */
function notifications(companyId: number, contactId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select id, json_build_object('flow_id', flow_id, 'step_id', step_id, 'message', message,
      'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')) as data
    from flow_notifications
    where company_id = ${companyId} and contact_id = any(array(${idsWithMerged(companyId, [contactId])}))
      and id < ${after}
    order by id desc limit ${limit}`;
}

/** E-mails and SMS that the built-in mailbox still has, newest first. */
function mails(companyId: number, contactId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select id, json_build_object('message_id', id, 'channel', channel, 'sender', sender, 'recipient', recipient,
      'subject', subject, 'preview_text', preview_text, 'html', html, 'text', text,
      'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')) as data
    from mailbox_messages
    where company_id = ${companyId} and contact_id = ${contactId} and id < ${after} order by id desc limit ${limit}`;
}

/** Campaigns from which the contact was held out, newest first; without a name if the campaign was deleted. */
function holdOuts(companyId: number, contactId: number, { after, limit }: KeysetPage): Statement {
  return sql`
    select h.campaign_id as id, json_build_object('campaign_id', h.campaign_id, 'name', k.name,
      'started_at', to_char(k.started_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')) as data
    from campaign_hold_outs h left join campaigns k on k.company_id = h.company_id and k.id = h.campaign_id
    where h.company_id = ${companyId} and h.contact_id = ${contactId} and h.campaign_id < ${after}
    order by h.campaign_id desc limit ${limit}`;
}
