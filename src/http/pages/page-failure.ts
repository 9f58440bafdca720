import type { FastifyError, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AppError, type ErrorCode, Overloaded } from '../../errors.ts';
import { machineryFailure, overloaded, retryHeaders } from '../api/errors.ts';

/** 503 if the same request may succeed later: mail servers and browsers that retry handle that status best. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  bad_request: 400,
  not_found: 404,
  rate_limited: 429,
  overloaded: 503,
  database_unavailable: 503,
  timed_out: 503,
};

export interface PageFailure {
  status: number;
  /** `Retry-After`, if known. */
  headers: Record<string, string>;
  /** The error to show; null if its details may only appear in the log. */
  shown: AppError | null;
}

/** Converts an error of a public page to its response. Logs the route only: the URL may contain the token that authorizes. */
export function pageFailure(log: Logger, error: unknown, request: FastifyRequest): PageFailure {
  const shown = error instanceof AppError ? error : error instanceof Overloaded ? overloaded(error) : null;
  if (shown !== null) return failureOf(shown);
  const { statusCode = 500 } = error as Partial<FastifyError>;
  if (statusCode < 500) return { status: statusCode, headers: {}, shown: null };
  log.error({ err: error, request_id: request.requestId, route: request.routeOptions.url }, 'public page failed');
  const machinery = machineryFailure(error);
  return machinery === null ? { status: 500, headers: {}, shown: null } : failureOf(machinery);
}

function failureOf(shown: AppError): PageFailure {
  return { status: STATUS[shown.code] ?? 500, headers: retryHeaders(shown), shown };
}
