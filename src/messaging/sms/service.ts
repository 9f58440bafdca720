import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Suppressions } from '../suppressions/suppressions.ts';
import { type InboundSms, receiveSms } from './inbound.ts';
import { applyReceipt, type DeliveryReceipt } from './receipts.ts';

export interface SmsDeps {
  db: Db;
  clock: Clock;
  companies: { get(companyId: number): Promise<SendingCompany> };
  suppressions: Suppressions;
}

export type SmsService = ReturnType<typeof createSmsService>;

/** Handles the reports of the SMS provider: inbound messages and delivery receipts. */
export function createSmsService(deps: SmsDeps) {
  return {
    receive: (sms: InboundSms) => receiveSms(deps, sms),
    applyReceipt: (receipt: DeliveryReceipt, now: Date) => applyReceipt(deps.db, deps.suppressions, receipt, now),
  };
}
