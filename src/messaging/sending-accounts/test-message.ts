import { randomUUID } from 'node:crypto';
import type { MasterKey } from '../../access/master-key.ts';
import { invalidField } from '../../errors.ts';
import { normaliseEmail, normalisePhone } from '../../lib/addresses.ts';
import type { EmailContent } from '../compose/mime/email-content.ts';
import { encodeMessage } from '../compose/mime/encode.ts';
import type { DeliveryResult, OutgoingMessage } from '../send/transports/port.ts';
import { createSigning } from '../sending-domains/signing.ts';
import { type SendingCompany, smsSender } from '../settings/settings.ts';
import { CHANNEL_OF, type SealedAccount } from './accounts.ts';
import { type AccountTransportDeps, createAccountTransport } from './transports.ts';

/** An HTTP request waits for it. Usually longer than an account's server needs for one message. */
const TIMEOUT_MS = 15_000;

const TEXTS = {
  en: (name: string) => ({
    subject: `Test message of ${name}`,
    text: `This is a test message. The sending account of ${name} works.`,
  }),
  de: (name: string) => ({
    subject: `Testnachricht von ${name}`,
    text: `Das ist eine Testnachricht. Das Versandkonto von ${name} funktioniert.`,
  }),
};

/** Hands one message over through an account, on a separate connection. Throws validation_failed. */
export async function sendTestMessage(
  company: SendingCompany,
  account: SealedAccount,
  given: string,
  deps: AccountTransportDeps & { masterKey: Pick<MasterKey, 'open'>; now: Date },
): Promise<DeliveryResult> {
  const { companyId } = company;
  const { subject, text } = TEXTS[company.language === 'de' ? 'de' : 'en'](company.name);
  const id = randomUUID();
  const ledger = { companyId, messageId: 0, contactId: null };
  const message = CHANNEL_OF[account.provider] === 'sms' ? smsTo() : emailTo();

  function smsTo(): OutgoingMessage {
    const to = normalisePhone(given, null);
    if (to === null) throw invalidField('to', 'to must be a number in E.164', 'wrong_format');
    return { channel: 'sms', id, ledger, from: smsSender(company, to), to, text };
  }

  function emailTo(): OutgoingMessage {
    const to = normaliseEmail(given);
    if (to === null) throw invalidField('to', 'to must be an e-mail address', 'wrong_format');
    const { from_email: from, from_name: name } = company;
    const content: EmailContent = {
      from: { name, address: from },
      to: { address: to },
      subject,
      text,
      date: deps.now,
      messageId: `<${id}@${from.split('@')[1]}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    const key = account.provider === 'ses' ? undefined : createSigning(deps.masterKey)(company, from);
    return {
      channel: 'email',
      id,
      ledger,
      from,
      to,
      content,
      raw: () => encodeMessage(content, { html: undefined, text }, key),
    };
  }

  const transport = createAccountTransport(companyId, account, {
    ...deps,
    // The message is not in the ledger, so a receipt could not be matched.
    receiptUrl: () => null,
  });
  try {
    return await transport.deliver(message, AbortSignal.timeout(TIMEOUT_MS));
  } finally {
    await transport.close();
  }
}
