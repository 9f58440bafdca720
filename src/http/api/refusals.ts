import type { Door } from '../../access/attempts/door.ts';
import { AppError } from '../../errors.ts';
import type { HttpPort } from './port.ts';

/** Throws `code` for a caller without valid credentials or, after repeated failures, rate_limited with the time to wait. */
export async function refuseAccess(
  port: Pick<HttpPort, 'failedAttempts'>,
  door: Door,
  address: string,
  code: 'missing_key' | 'invalid_key',
): Promise<never> {
  const wait = await port.failedAttempts.fail(door, address);
  if (wait > 0) throw rateLimited(wait);
  throw new AppError(code, code === 'missing_key' ? 'The API key is missing' : 'The API key is invalid');
}

export function rateLimited(seconds: number): AppError {
  return new AppError('rate_limited', 'Rate limit exceeded', { retry_after: seconds });
}
