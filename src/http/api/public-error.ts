import type { FastifyError, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { sqlState } from '../../db/pool.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { AppError, Overloaded } from '../../errors.ts';

export const TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE';
/** Seconds after which to try again what failed because the database was unavailable. */
const RETRY_AFTER_OUTAGE = 2;
const STATEMENT_CANCELLED = '57014';

/** The failures of the machinery that a caller may know of as what they are; null for all other errors. */
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

/** Whoever proves nothing or may not do this: at most 30 a minute for each network, or as many as a key has requests. */
const DENIALS: ReadonlySet<string> = new Set([
  ...['missing_key', 'invalid_key', 'missing_scope', 'missing_session', 'wrong_credentials', 'second_factor_required'],
  ...['invalid_link', 'forbidden_role'],
]);

/** What the caller may know of an error: its own words where it is ours, nothing where it is not; the log has it all. */
export function publicError(app: { log: Logger }, error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError && error.code !== 'internal') {
    if (DENIALS.has(error.code)) logDenial(app.log, error.code, request);
    return error;
  }
  // Not logged one by one: under overload there are thousands a second.
  if (error instanceof Overloaded) return overloaded(error);
  const { code, statusCode } = error as FastifyError;
  if (code === TOO_LARGE) return new AppError('bad_request', 'The body is too large');
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new AppError('bad_request', 'The request is malformed');
  }
  const { requestId: request_id, method } = request;
  // Without the query: it may hold a person's address, or the token of a sign-in link.
  const path = request.url.split('?', 1)[0];
  app.log.error({ err: error, request_id, method, path }, 'request failed');
  return machineryFailure(error) ?? new AppError('internal', 'Internal server error');
}

export function overloaded({ message, retryAfter }: Overloaded): AppError {
  return new AppError('overloaded', message, { retry_after: retryAfter });
}

/** Who was refused where and why, and nothing of what they showed. */
function logDenial(log: Logger, reason: string, request: FastifyRequest): void {
  const { requestId: request_id, ip: address, method, holder } = request;
  const caller = holder === null ? {} : { company_id: holder.companyId, key_id: holder.keyId };
  log.info({ reason, address, request_id, method, route: request.routeOptions.url, ...caller }, 'access denied');
}

/** The header that belongs to an error which says when to try again. */
export function retryHeaders(error: AppError): Record<string, string> {
  const { retry_after: seconds } = error.details;
  return typeof seconds === 'number' ? { 'Retry-After': String(seconds) } : {};
}
