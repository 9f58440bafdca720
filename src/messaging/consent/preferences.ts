import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { emptySql, rawSql, type Statement, sql } from '../../db/sql.ts';
import { chosen, type Frequency } from '../../marketing/contacts/consent/preferences.ts';
import { CHANNELS, type Channel, type ConsentState } from '../../marketing/contacts/consent/states.ts';
import { changeConsents, updatePreferences } from '../../marketing/contacts/service.ts';
import { leaveLists, type MembershipStatus, returnToLists } from '../../marketing/lists/service.ts';
import { insertActivity } from '../feedback/activity-queries.ts';
import type { Address, Suppressions } from '../suppressions/suppressions.ts';
import type { PreferenceRequest } from './preference-request.ts';

/** What the page shows of a contact. */
export interface ShownPreferences {
  company: string;
  properties: Record<string, unknown>;
  /** Of the channels for which the contact has an address. */
  channels: Partial<Record<Channel, { address: string; state: ConsentState }>>;
  lists: { list_id: number; name: string; status: MembershipStatus }[];
  frequency: Frequency;
  pausedUntil: Date | null;
  /** Whether a yes by this link counts: it came to an address that is still the contact's. */
  mayAgree: boolean;
}

/** Whose link it is: the contact that it was made for, and the message that it came with, or 0. */
export interface LinkOwner {
  contactId: number;
  messageId: number;
}

/** null for a contact that is gone. */
export async function preferencesOf(
  db: Queryable,
  companyId: number,
  owner: LinkOwner,
): Promise<ShownPreferences | null> {
  const found = await findOwner(db, companyId, owner, emptySql);
  return found === null ? null : findPreferences(db, companyId, found);
}

async function findPreferences(
  db: Queryable,
  companyId: number,
  { contactId, mayAgree }: FoundOwner,
): Promise<ShownPreferences | null> {
  const [row] = await db.query<{
    company: string;
    email: string | null;
    phone: string | null;
    email_consent: ConsentState;
    sms_consent: ConsentState;
    properties: Record<string, unknown>;
    marketing_frequency: 'less_often' | null;
    paused_until: Date | null;
    lists: ShownPreferences['lists'];
  }>(sql`
    select k.name as company, c.email, c.phone, c.email_consent, c.sms_consent, c.properties, c.marketing_frequency,
      c.paused_until, coalesce((
        select json_agg(json_build_object('list_id', l.id, 'name', l.name, 'status', m.status) order by l.name, l.id)
        from list_memberships m join lists l on l.company_id = m.company_id and l.id = m.list_id
        where m.company_id = c.company_id and m.contact_id = c.id and l.deleted_at is null), '[]') as lists
    from contacts c join companies k using (company_id)
    where c.company_id = ${companyId} and c.id = ${contactId}`);
  if (row === undefined) return null;
  const { company, email, phone, properties, lists, marketing_frequency, paused_until: pausedUntil } = row;
  const channels: ShownPreferences['channels'] = {};
  if (email !== null) channels.email = { address: email, state: row.email_consent };
  if (phone !== null) channels.sms = { address: phone, state: row.sms_consent };
  return { company, properties, channels, lists, frequency: marketing_frequency ?? 'all', pausedUntil, mayAgree };
}

interface FoundOwner {
  contactId: number;
  mayAgree: boolean;
}

/**
 * The contact's id. One that was merged into another since is that other, as the message is theirs now; null where there is
 * neither. Whoever has the message may have had an address that is another person's by now: they can say no for the contact,
 * but yes only where the message went to an address that the contact still has.
 */
async function findOwner(
  db: Queryable,
  companyId: number,
  { contactId, messageId }: LinkOwner,
  lock: Statement,
): Promise<FoundOwner | null> {
  const own = await db.query<{ id: number }>(sql`
    select c.id from contacts c where c.company_id = ${companyId} and c.id = ${contactId} ${lock}`);
  if (messageId === 0) return own[0] === undefined ? null : { contactId: own[0].id, mayAgree: true };
  const ofMessage = await db.query<{ id: number; may_agree: boolean }>(sql`
    select c.id, coalesce(m.recipient = case m.channel when 'email' then c.email else c.phone end, false) as may_agree
    from ledger m join contacts c on c.company_id = m.company_id and c.id = m.contact_id
    where m.company_id = ${companyId} and m.id = ${messageId} ${lock}`);
  const [heir] = ofMessage;
  if (own[0] === undefined) return heir === undefined ? null : { contactId: heir.id, mayAgree: heir.may_agree };
  return { contactId: own[0].id, mayAgree: heir?.id === own[0].id && heir.may_agree };
}

/** Where the message went; null where that is not known any more. */
async function findRecipient(tx: Tx, companyId: number, messageId: number): Promise<Address | null> {
  const rows = await tx.query<Address>(sql`
    select channel, recipient as address from ledger
    where company_id = ${companyId} and id = ${messageId} and recipient is not null`);
  return rows[0] ?? null;
}

/** Who asked, as far as the request tells. */
export interface Asker {
  ip: string;
  userAgent: string | undefined;
}

/** Does what the contact asks for. A no is noted with the message that made them say so. */
export async function changePreferences(
  db: Db,
  suppressions: Suppressions,
  companyId: number,
  owner: LinkOwner,
  request: PreferenceRequest,
  by: Asker,
  now: Date,
): Promise<void> {
  await db.tenantTx(companyId, async (tx) => {
    // Nobody merges the contact meanwhile.
    const found = await findOwner(tx, companyId, owner, rawSql('for no key update of c'));
    if (found === null) return;
    const saysNo = await apply(tx, suppressions, companyId, { ...found, messageId: owner.messageId }, request, by, now);
    if (saysNo && owner.messageId > 0) {
      await insertActivity(tx, companyId, [{ messageId: owner.messageId, type: 'unsubscribed' }], now);
    }
  });
}

/** Gives whether that was a no. */
async function apply(
  tx: Tx,
  suppressions: Suppressions,
  companyId: number,
  { contactId, mayAgree, messageId }: FoundOwner & { messageId: number },
  request: PreferenceRequest,
  { ip, userAgent }: Asker,
  now: Date,
): Promise<boolean> {
  const evidence = { ip, userAgent };
  const source = request.kind === 'one_click' ? ('one_click' as const) : ('preference_page' as const);
  const say = async (channels: readonly Channel[], agrees: boolean): Promise<void> => {
    const said = agrees
      ? ({ state: 'subscribed', cause: 'resubscribe' } as const)
      : ({ state: 'unsubscribed', cause: 'unsubscribe' } as const);
    await changeConsents(tx, companyId, suppressions, [contactId], { channels, ...said, source, evidence, now });
    // The contact may have another address by now; who says no reads what comes to this one.
    const sentTo = agrees ? null : await findRecipient(tx, companyId, messageId);
    if (sentTo === null || !channels.includes(sentTo.channel)) return;
    await suppressions.add(tx, companyId, [{ ...sentTo, cause: 'unsubscribe', source }], now);
  };
  switch (request.kind) {
    case 'one_click':
      await say(['email'], false);
      return true;
    case 'leave_everything':
      await say(CHANNELS, false);
      return true;
    case 'leave_list':
      // Who was not on it has left nothing.
      return (await leaveLists(tx, companyId, [{ listId: request.listId, contactId }], now)).length > 0;
    case 'join_list':
      if (mayAgree)
        await returnToLists(tx, companyId, [{ listId: request.listId, contactId }], { at: now, source, ip });
      return false;
    case 'channel':
      if (mayAgree || !request.agrees) await say([request.channel], request.agrees);
      return !request.agrees;
    case 'frequency':
      await updatePreferences(tx, companyId, contactId, chosen({ frequency: request.frequency }), now);
      return false;
    case 'pause': {
      const until = request.days === 0 ? null : new Date(now.getTime() + request.days * 86_400_000);
      await updatePreferences(tx, companyId, contactId, chosen({ pausedUntil: until }), now);
      return false;
    }
  }
}
