import { insertActivity } from '../feedback/activity-queries.ts';
import type { SmsDeps } from './inbound.ts';
import { findHandedOver, markArrived } from './queries.ts';
import { meaningOf } from './twilio.ts';

/** The provider's report on a message. */
export interface DeliveryReceipt {
  /** `{company}-{message}`, as sent with the message. */
  message: string;
  status: string;
  errorCode: number;
}

const MESSAGE = /^([1-9]\d{0,15})-([1-9]\d{0,15})$/;

/** Returns the company whose message a receipt is about; null if it names none. */
export function companyOfReceipt(message: string): number | null {
  const match = MESSAGE.exec(message);
  return match === null ? null : Number(match[1]);
}

/** Records the final status of a message. Repeated receipts and intermediate statuses change nothing. */
export async function applyReceipt(
  { db, suppressions, contacts }: Pick<SmsDeps, 'db' | 'suppressions' | 'contacts'>,
  { message, status, errorCode }: DeliveryReceipt,
  now: Date,
): Promise<void> {
  const match = MESSAGE.exec(message);
  if (match === null || !['delivered', 'undelivered', 'failed'].includes(status)) return;
  const [companyId, id] = [Number(match[1]), Number(match[2])];
  await db.tenantTx(companyId, async (tx) => {
    const found = await findHandedOver(tx, companyId, id);
    if (found === null) return;
    if (status === 'delivered') return markArrived(tx, companyId, id, now);
    await insertActivity(tx, companyId, [{ messageId: id, type: 'bounced' }], now);
    const meaning = meaningOf(errorCode);
    if (meaning === 'other' || found.recipient === null) return;
    const entry = { channel: 'sms', address: found.recipient } as const;
    if (meaning === 'dead_number') {
      return suppressions.add(tx, companyId, [{ ...entry, cause: 'bounce', source: null }], now);
    }
    await suppressions.add(tx, companyId, [{ ...entry, cause: 'unsubscribe', source: 'sms_keyword' }], now);
    if (found.contactId === null) return;
    const change = { channels: ['sms'], state: 'unsubscribed', source: 'sms_keyword', cause: 'unsubscribe' } as const;
    await contacts.changeConsents(tx, companyId, suppressions, [found.contactId], { ...change, now });
  });
}
