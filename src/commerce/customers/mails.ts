import { randomBytes } from 'node:crypto';
import type { Caller } from '../../caller.ts';
import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import type { AccountMail } from '../../messaging/account-mails.ts';
import { chooseLanguage, type Language } from '../../messaging/consent/languages.ts';
import { queueMessages } from '../../messaging/service.ts';

/** Queues a mail about an account. `key` tells it from all others; without one, every call is another mail. */
export async function queueAccountMail(
  tx: Tx,
  caller: Caller,
  recipient: string,
  {
    template,
    data,
    key,
  }: { template: AccountMail; data: { language: Language; [name: string]: unknown }; key?: string },
): Promise<void> {
  const { companyId, now } = caller;
  const message = {
    idemKey: `t:${key ?? `account:${randomBytes(16).toString('hex')}`}`,
    channel: 'email',
    contactId: null,
    recipient,
    origin: { kind: 'system', template, data },
    transactional: true,
    dueAt: now,
    correlation: correlationOf(caller),
  } as const;
  await queueMessages(tx, companyId, [message], now);
}

/** Tells the holder of an address what was changed in the account, in the language of the contact. */
export async function noticeTo(tx: Tx, caller: Caller, email: string, template: AccountMail): Promise<void> {
  const { companyId } = caller;
  const [row] = await tx.query<{ properties: Record<string, unknown> | null; standard: Language | null }>(sql`
    select k.settings -> 'messaging' ->> 'language' as standard,
      (select n.properties from contacts n where n.company_id = ${companyId} and n.email = ${email}) as properties
    from companies k where k.company_id = ${companyId}`);
  const language = chooseLanguage(row?.properties ?? {}, undefined, row?.standard ?? 'en');
  await queueAccountMail(tx, caller, email, { template, data: { language } });
}
