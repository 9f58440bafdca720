/**
 * A failure that the caller may be told of. `code` is the stable machine word of the contract (`details.reason` on the
 * commerce side); the edge alone knows which status number it means there.
 */
export type ErrorCode =
  | 'bad_request'
  | 'validation_failed'
  | 'missing_key'
  | 'invalid_key'
  | 'missing_scope'
  | 'missing_session'
  | 'wrong_credentials'
  | 'second_factor_required'
  | 'invalid_link'
  | 'forbidden_role'
  | 'confirmation_required'
  | 'rate_limited'
  | 'not_found'
  | 'insufficient_stock'
  | 'promo_not_found'
  | 'promo_inactive'
  | 'promo_not_started'
  | 'promo_expired'
  | 'promo_usage_limit'
  | 'promo_customer_limit'
  | 'promo_min_subtotal'
  | 'promo_not_applicable'
  | 'invalid_status_transition'
  | 'subscription_not_modifiable'
  | 'shipping_unavailable'
  | 'insufficient_points'
  | 'below_min_redeem'
  | 'loyalty_disabled'
  | 'no_upcoming_order'
  | 'contact_conflict'
  | 'idempotency_key_reused'
  | 'idempotency_key_in_use'
  | 'duplicate'
  | 'unsupported_version'
  | 'overloaded'
  | 'timed_out'
  | 'database_unavailable'
  | 'internal';

/** One field that failed validation: dotted path (`items.0.qty`), machine word, sentence. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }
}

/** The body failed: every failing field at once. */
export function validationFailed(fields: FieldError[]): AppError {
  const message = fields.length === 1 ? fields[0]!.message : `${fields.length} fields are invalid`;
  return new AppError('validation_failed', message, { fields });
}

export function invalidField(field: string, message: string, code = 'invalid'): AppError {
  return validationFailed([{ field, code, message }]);
}

/**
 * What would wait for too long was refused before anything of it was done. No AppError: workers take those for a refusal of
 * what they asked for, and this one says nothing of it.
 */
export class Overloaded extends Error {
  /** Seconds after which to try again. */
  readonly retryAfter: number;

  constructor(waitMs = 0) {
    super('Too many requests are in progress: try again later');
    this.name = 'Overloaded';
    this.retryAfter = Math.min(30, Math.max(1, Math.ceil(waitMs / 1_000)));
  }
}

/** `what` is a noun with its id where it helps: "product 7". */
export function notFound(what: string): AppError {
  return new AppError('not_found', `No such ${what}`);
}

/** The row that a look-up by id gave. Throws not_found when it gave none. */
export function found<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw notFound(what);
  return row;
}
