import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { EmailContent, NamedAddress } from '../compose/mime/email-content.ts';
import { encodeMessage } from '../compose/mime/encode.ts';
import type { Transport } from '../send/transports/port.ts';

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
  /** The installation's own address. */
  sender: NamedAddress;
  clock: Clock;
  log: Logger;
}

/**
 * Sends e-mails to users of the admin app, from the installation's own address: a bounce of it may contain the link, so it must not go to
 * an address that a company chose. Their links sign someone in, so they are handed over at once and never stored: otherwise anyone allowed
 * to read the company's messages would have the links too.
 */
export function createNotices({ transport, sender, clock, log }: NoticesDeps): Notices {
  async function deliver(email: Transport, companyId: number, { to, subject, text }: Notice): Promise<boolean> {
    const id = randomUUID();
    const from = sender.address;
    const content: EmailContent = {
      from: sender,
      to: { address: to },
      subject,
      text,
      date: clock.now(),
      messageId: `<${id}@${from.split('@')[1]}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    const result = await email.deliver(
      {
        channel: 'email',
        id,
        from,
        to,
        content,
        ledger: { companyId, messageId: 0, contactId: null },
        raw: () => encodeMessage(content, { html: undefined, text }),
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
