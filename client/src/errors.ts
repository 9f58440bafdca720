import { CATALOGUE, type ErrorCode } from './generated/errors.ts';

/** One invalid field of a request: a dotted path such as `items.0.qty`. */
export interface FieldError {
  field: string;
  message: string;
  code?: string;
}

/** Contents of `details` in addition to the reason, for the codes that have any. */
interface DetailsByCode {
  insufficient_stock: { items: { index: number; product_id: number; requested: number; available: number }[] };
  insufficient_points: { balance: number };
  missing_scope: { required: string };
}

export type DetailsOf<Code extends ErrorCode> = Code extends keyof DetailsByCode
  ? Partial<DetailsByCode[Code]> & Record<string, unknown>
  : Record<string, unknown>;

/** Every error that this client throws for a request. */
export class TradeloomError extends Error {
  override name = 'TradeloomError';
}

/** No response arrived: the network failed, or the attempt timed out. `cause` has the reason. */
export class ConnectionError extends TradeloomError {
  override name = 'ConnectionError';
}

/** The server redirects elsewhere, such as from http to https. The request was not sent there. */
export class RedirectError extends TradeloomError {
  override name = 'RedirectError';
}

/** The server refused the request or failed. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends TradeloomError {
  override name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** A code of the error catalogue; null where the response is not from the API but from a proxy, for example. */
  readonly code: Code | null;
  readonly fields: readonly FieldError[];
  readonly details: DetailsOf<Code>;
  /** Names the request in the server's log. */
  readonly requestId: string | null;
  /** Seconds after which to retry, if the server said so. */
  readonly retryAfter: number | null;

  constructor(response: ErrorResponse) {
    const { code, message, fields, details } = read(response);
    super(message);
    this.status = response.status;
    this.code = code as Code | null;
    this.fields = fields;
    this.details = details as DetailsOf<Code>;
    this.requestId = response.headers.get('x-request-id');
    this.retryAfter = secondsOf(response.headers.get('retry-after'));
  }

  /** Whether it is this code; narrows the type of `details`. */
  hasCode<C extends ErrorCode>(code: C): this is ApiError<C> {
    return (this.code as string | null) === code;
  }

  /** The fix that the catalogue recommends. */
  get fix(): string | null {
    const { code } = this;
    return code !== null && code in CATALOGUE ? CATALOGUE[code as keyof typeof CATALOGUE].fix : null;
  }
}

export interface ErrorResponse {
  status: number;
  headers: Headers;
  /** The parsed body; undefined if it is not JSON. */
  body: unknown;
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Both forms: commerce `{error: {message, details: {reason, fields}}}`, marketing `{error, message, details: [fields]}`. */
function read({ status, body }: ErrorResponse): {
  code: string | null;
  message: string;
  fields: FieldError[];
  details: Json;
} {
  const outer = isObject(body) ? body : {};
  const inner = isObject(outer.error) ? outer.error : outer;
  const details = isObject(inner.details) ? inner.details : {};
  const listed = Array.isArray(inner.details) ? inner.details : details.fields;
  const code = typeof outer.error === 'string' ? outer.error : details.reason;
  return {
    code: typeof code === 'string' ? code : null,
    message: typeof inner.message === 'string' ? inner.message : `HTTP ${status}`,
    fields: Array.isArray(listed) ? listed.filter(isFieldError) : [],
    details,
  };
}

function isFieldError(value: unknown): value is FieldError {
  return isObject(value) && typeof value.field === 'string' && typeof value.message === 'string';
}

/** Seconds of a Retry-After header, which is a number from this API and may be a date from proxies. */
export function secondsOf(header: string | null, now = Date.now()): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
