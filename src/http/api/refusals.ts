import type { Door } from '../../access/attempts/door.ts';
import { AppError } from '../../errors.ts';
import type { HttpPort } from './port.ts';

/** One text for every reason to refuse a signed request: a stranger learns neither which companies nor which secrets exist. */
const UNSIGNED = 'The signature is missing or invalid, or the company is unknown';

/** Throws for a request whose signature is not valid: invalid_key, or rate_limited after repeated failures. */
export function refuseSignature(
  port: Pick<HttpPort, 'failedAttempts'>,
  door: Exclude<Door, 'api_key'>,
  address: string,
): Promise<never> {
  return refuseAccess(port, door, address, new AppError('invalid_key', UNSIGNED));
}

/** Throws `refusal` for a caller without valid credentials or, after repeated failures, rate_limited with the time to wait. */
export async function refuseAccess(
  port: Pick<HttpPort, 'failedAttempts'>,
  door: Door,
  address: string,
  refusal: AppError,
): Promise<never> {
  const wait = await port.failedAttempts.fail(door, address);
  if (wait > 0) throw rateLimited(wait);
  throw refusal;
}

export function rateLimited(seconds: number): AppError {
  return new AppError('rate_limited', 'Rate limit exceeded', { retry_after: seconds });
}
