import type { Db, Tx } from '../../db/pool.ts';
import { rawSql } from '../../db/sql.ts';
import { changeConsents, updatePreferences } from '../../marketing/contacts/service.ts';
import { findListSettings, leaveLists, returnToLists } from '../../marketing/lists/service.ts';
import { CHANNELS, type Channel } from '../../recipients/consent.ts';
import { chosen } from '../../recipients/preferences.ts';
import { insertActivity } from '../feedback/activity-queries.ts';
import type { Suppressions } from '../suppressions/suppressions.ts';
import { type FoundOwner, findOwner, findRecipient, type LinkOwner } from './preference-queries.ts';
import type { PreferenceRequest } from './preference-request.ts';

/** Evidence of the request that is stored with the consent. */
export interface Asker {
  ip: string;
  userAgent: string | undefined;
}

/** Applies a request of the contact. An opt-out is recorded with the message whose link was used. */
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
    // Locked, so that the contact cannot be merged meanwhile.
    const found = await findOwner(tx, companyId, owner, rawSql('for no key update of c'));
    if (found === null) return;
    const optedOut = await apply(
      tx,
      suppressions,
      companyId,
      { ...found, messageId: owner.messageId },
      request,
      by,
      now,
    );
    if (optedOut && owner.messageId > 0) {
      await insertActivity(tx, companyId, [{ messageId: owner.messageId, type: 'unsubscribed' }], now);
    }
  });
}

/** Returns whether the request was an opt-out. */
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
    // The contact may have another address by now; the opt-out is for the address that received the message.
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
      if (!(await isShown(tx, companyId, request.listId))) return false;
      return (await leaveLists(tx, companyId, [{ listId: request.listId, contactId }], now)).length > 0;
    case 'join_list':
      if (mayAgree && (await isShown(tx, companyId, request.listId)))
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

/** Whether the preference page shows a list. */
async function isShown(tx: Tx, companyId: number, listId: number): Promise<boolean> {
  const [list] = await findListSettings(tx, companyId, [listId]);
  return list !== undefined && !list.internal;
}
