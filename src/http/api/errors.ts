import type { FastifyError, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Door } from '../../access/attempts/door.ts';
import { sqlState } from '../../db/pool.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { AppError, Overloaded } from '../../errors.ts';
import type { HttpPort } from './port.ts';

export const TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE';
/** Retry-After in seconds for requests that failed because the database was unavailable. */
const RETRY_AFTER_OUTAGE = 2;
const STATEMENT_CANCELLED = '57014';

/** Converts infrastructure failures that a caller may know about; null for all other errors. */
export function machineryFailure(error: unknown): AppError | null {
  if (isUnavailable(error)) {
    const details = { retry_after: RETRY_AFTER_OUTAGE };
    return new AppError('database_unavailable', 'The database is unavailable: try again later', details);
  }
  if (sqlState(error) === STATEMENT_CANCELLED) {
    return new AppError('timed_out', 'The request took too long: narrow it down');
  }
  return null;
}

/** Errors of callers without valid credentials or permission: at most 30 a minute per network, or as many as a key has requests. */
const DENIALS: ReadonlySet<string> = new Set([
  ...['missing_key', 'invalid_key', 'missing_scope', 'missing_session', 'wrong_credentials', 'second_factor_required'],
  ...['invalid_link', 'forbidden_role', 'origin_not_allowed'],
]);

/** Returns what the caller may see of an error: an AppError's own text, otherwise a generic one; the log has all details. */
export function publicError(app: { log: Logger }, error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError && error.code !== 'internal') {
    if (DENIALS.has(error.code)) logDenial(app.log, error.code, request);
    return error;
  }
  // Not logged individually: under overload there are thousands per second.
  if (error instanceof Overloaded) return overloaded(error);
  const { code, statusCode } = error as FastifyError;
  if (code === TOO_LARGE) return new AppError('bad_request', 'The body is too large');
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new AppError('bad_request', 'The request is malformed');
  }
  const { requestId: request_id, method } = request;
  // Without the query, which may contain a person's address or the token of a sign-in link.
  const path = request.url.split('?', 1)[0];
  app.log.error({ err: error, request_id, method, path }, 'request failed');
  return machineryFailure(error) ?? new AppError('internal', 'Internal server error');
}

export function overloaded({ message, retryAfter }: Overloaded): AppError {
  return new AppError('overloaded', message, { retry_after: retryAfter });
}

/** Logs who was refused where and why, but not the credentials. */
function logDenial(log: Logger, reason: string, request: FastifyRequest): void {
  const { requestId: request_id, ip: address, method, holder } = request;
  const caller = holder === null ? {} : { company_id: holder.companyId, key_id: holder.keyId };
  log.info({ reason, address, request_id, method, route: request.routeOptions.url, ...caller }, 'access denied');
}

/** Returns the Retry-After header for an error that says when to retry. */
export function retryHeaders(error: AppError): Record<string, string> {
  const { retry_after: seconds } = error.details;
  return typeof seconds === 'number' ? { 'Retry-After': String(seconds) } : {};
}

/** One text for every reason to refuse a signed request: a stranger learns neither which companies nor which secrets exist. */
const UNSIGNED = 'The signature is missing or invalid, or the company is unknown';

/** Throws for a request whose signature is not valid: invalid_key, or rate_limited after repeated failures. */
export function refuseSignature(
  port: Pick<HttpPort, 'networkLimiter'>,
  door: Exclude<Door, 'api_key' | 'store_key'>,
  address: string,
): Promise<never> {
  return refuseAccess(port, door, address, new AppError('invalid_key', UNSIGNED));
}

/** Throws `refusal` for a caller without valid credentials or, after repeated failures, rate_limited with the time to wait. */
export async function refuseAccess(
  port: Pick<HttpPort, 'networkLimiter'>,
  door: Door,
  address: string,
  refusal: AppError,
): Promise<never> {
  const wait = await port.networkLimiter.count(door, address);
  if (wait > 0) throw rateLimited(wait);
  throw refusal;
}

export function rateLimited(seconds: number): AppError {
  return new AppError('rate_limited', 'Rate limit exceeded', { retry_after: seconds });
}
