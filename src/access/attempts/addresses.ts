import { createHmac, type KeyObject } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { Door } from './door.ts';
import type { NetworkLimiter } from './limiter.ts';

/** Counts an attempt with an e-mail address in lower case, known or not. Throws rate_limited. */
export type AddressLimiter = (companyId: number, email: string) => Promise<void>;

/** Counts by e-mail address within the limit of a door. Addresses are hashed, since the counts are kept for as long as the door's window. */
export function createAddressLimiter(
  door: Door,
  { visitorLimiter, tokenKey }: { visitorLimiter: Pick<NetworkLimiter, 'count'>; tokenKey: KeyObject },
): AddressLimiter {
  return async (companyId, email) => {
    const hash = createHmac('sha256', tokenKey).update(`attempt ${companyId} ${email}`).digest('base64url');
    const wait = await visitorLimiter.count(door, hash);
    if (wait > 0) throw new AppError('rate_limited', 'Too many attempts with this address', { retry_after: wait });
  };
}
