import type { Clock } from '../../../clock.ts';
import { createBatcher } from '../../../db/batching/batcher.ts';
import type { Db } from '../../../db/pool.ts';
import { createMailboxTransport } from './mailbox.ts';
import { insertMailboxMessages, type MailboxRow } from './mailbox-queries.ts';
import type { OutgoingMessage, Transport } from './port.ts';

/** Maximum rows per statement; the parameters of 500 e-mails of 20 KB are 10 MB. */
const BATCH = 500;

/** The built-in transport: stores messages as rows, many per statement. */
export function createMailbox(db: Db, clock: Clock, channel: 'email' | 'sms'): Transport {
  const batcher = createBatcher<OutgoingMessage, void>({
    name: 'mailbox',
    maxWaitMs: Number.POSITIVE_INFINITY,
    key: (message) => message.ledger.companyId,
    run: async (companyId, messages) => {
      await insertMailboxMessages(db.chores, companyId, messages.map(rowOf), clock.now());
      return messages.map(() => ({ ok: true, value: undefined }));
    },
    maxSize: BATCH,
    maxInFlight: 2,
  });
  return createMailboxTransport({ channel, store: (message) => batcher.submit(message), concurrency: 2 * BATCH });
}

function rowOf(message: OutgoingMessage): MailboxRow {
  const { messageId, contactId } = message.ledger;
  const common = { id: messageId, channel: message.channel, contact_id: contactId, recipient: message.to };
  if (message.channel === 'sms') {
    const none = { subject: null, preview_text: null, html: null, headers: {}, message_id: null };
    return { ...common, ...none, sender: message.from, text: message.text };
  }
  if (message.content === null) throw new Error('The mailbox keeps contents, not bytes');
  const { from, subject, previewText, html, text, headers } = message.content;
  return {
    ...common,
    sender: from.name ? `${from.name} <${from.address}>` : from.address,
    subject,
    preview_text: previewText || null,
    html: html ?? null,
    text: text ?? null,
    headers: headers ?? {},
    message_id: message.content.messageId,
  };
}
