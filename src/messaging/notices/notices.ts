import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { MasterKey } from '../../access/master-key.ts';
import type { Clock } from '../../clock.ts';
import type { EmailContent } from '../compose/mime/email-content.ts';
import { encodeMessage } from '../compose/mime/encode-message.ts';
import type { Transport } from '../send/transports/port.ts';
import { createSigning } from '../sending-domains/signing.ts';
import type { SendingCompany } from '../settings/settings.ts';

/** An HTTP response waits for it. */
const TIMEOUT_MS = 8_000;

export interface Notice {
  to: string;
  subject: string;
  text: string;
}

export interface Notices {
  /** Returns whether the mail server accepted it. If false or unknown, the requester is shown the link instead. */
  send(companyId: number, notice: Notice): Promise<boolean>;
}

export interface NoticesDeps {
  /** null if no mail leaves this server. */
  transport: Transport | null;
  companies: CompanyCache<SendingCompany>;
  masterKey: Pick<MasterKey, 'open'>;
  clock: Clock;
  log: Logger;
}

/**
 * Sends e-mails to users of the admin app, in a company's name and signed with its key. Their links sign someone in, so they are handed
 * over at once and never stored: otherwise anyone allowed to read the company's messages would have the links too.
 */
export function createNotices({ transport, companies, masterKey, clock, log }: NoticesDeps): Notices {
  const keyOf = createSigning(masterKey);

  async function deliver(email: Transport, companyId: number, { to, subject, text }: Notice): Promise<boolean> {
    const company = await companies.get(companyId);
    const id = randomUUID();
    const { from_email: from, from_name: name } = company;
    const content: EmailContent = {
      ...{ from: { name, address: from }, to: { address: to }, subject, text, date: clock.now() },
      messageId: `<${id}@${from.split('@')[1]}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    const result = await email.deliver(
      {
        ...{ channel: 'email', id, from, to, content },
        ledger: { companyId, messageId: 0, contactId: null },
        raw: () => encodeMessage(content, { html: undefined, text }, keyOf(company, from)),
      },
      AbortSignal.timeout(TIMEOUT_MS),
    );
    if (result.kind === 'sent') return true;
    const reason = result.kind === 'failed' ? result.reply : result.reason;
    log.warn({ company_id: companyId, reason }, 'an e-mail to a person of the admin app was not sent');
    return false;
  }

  return {
    async send(companyId, notice) {
      if (transport === null) return false;
      try {
        return await deliver(transport, companyId, notice);
      } catch (error) {
        log.warn({ err: error, company_id: companyId }, 'an e-mail to a person of the admin app was not sent');
        return false;
      }
    },
  };
}
