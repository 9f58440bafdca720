import type { OutgoingEmail } from './port.ts';

const date = new Date('2026-03-01T12:00:00Z');

/** An e-mail to the local part at example.net, as a transport receives it. */
export function email(
  to: string,
  raw: string | Buffer = `Subject: ${to}\r\n\r\nHello\r\n.leading dot\r\n`,
): OutgoingEmail {
  return {
    channel: 'email',
    id: to,
    ledger: { companyId: 1, messageId: 1, contactId: null },
    from: 'bounces@example.com',
    to: `${to}@example.net`,
    content: { from: { address: 'a@example.com' }, to: { address: 'b@example.com' }, subject: '', messageId: '', date },
    raw: async () => Buffer.from(raw),
  };
}
