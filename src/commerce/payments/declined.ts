import { AppError } from '../../errors.ts';
import type { PaymentRow } from './payment.ts';

/** Declines after which another attempt by the same means is useless. */
const FINAL: readonly string[] = ['fraud_suspected', 'method_unavailable'];

/** Throws payment_declined for a payment that failed. */
export function requireNotDeclined({ status, failure }: PaymentRow): void {
  if (status !== 'failed') return;
  const code = failure?.code ?? 'other';
  throw new AppError('payment_declined', 'The payment was declined', { code, retry: !FINAL.includes(code) });
}
