import { type InboundSms, receiveSms, type SmsDeps } from './inbound.ts';
import { applyReceipt, type DeliveryReceipt } from './receipts.ts';

export type SmsService = ReturnType<typeof createSmsService>;

/** Handles the reports of the SMS provider: inbound messages and delivery receipts. */
export function createSmsService(deps: SmsDeps) {
  return {
    receive: (sms: InboundSms) => receiveSms(deps, sms),
    applyReceipt: (receipt: DeliveryReceipt, now: Date) => applyReceipt(deps, receipt, now),
  };
}
