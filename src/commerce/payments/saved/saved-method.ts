import type { MasterKey } from '../../../access/master-key.ts';
import type { PaymentRow } from '../payment.ts';
import type { Facts, PaymentService } from '../providers/provider.ts';

/** A means of payment that a service keeps, as it is stored. */
export interface SavedMethod {
  payment_id: number;
  method_id: number;
  account_id: number;
  provider: PaymentService;
  /** Sealed with the master key, in base64. */
  sealed_token: string;
  label: string;
  brand: string | null;
  last4: string | null;
  /** `YYYY-MM-DD`. */
  expires_on: string | null;
}

/** Returns what the service has saved with a payment; null if nothing. */
export function savedMethodOf(
  masterKey: Pick<MasterKey, 'seal'>,
  { id, method_id, account_id, provider }: PaymentRow,
  { savedMethod }: Pick<Facts, 'savedMethod'>,
): SavedMethod | null {
  if (savedMethod === null || provider === 'manual' || account_id === null) return null;
  const { token, label, brand, last4, expiresOn: expires_on } = savedMethod;
  const sealed_token = masterKey.seal(token).toString('base64');
  return { payment_id: id, method_id, account_id, provider, sealed_token, label, brand, last4, expires_on };
}

export function openToken(masterKey: Pick<MasterKey, 'open'>, sealed: string): string {
  return masterKey.open(Buffer.from(sealed, 'base64'));
}
