import { grants } from '../../../access/scopes.ts';
import { AppError, type ErrorCode, type FieldError } from '../../../errors.ts';
import { holderByKey, type Surface } from './surface.ts';

export const MARKETING_VERSION = '1';

const STATUS: Partial<Record<ErrorCode, number>> = {
  missing_key: 401,
  invalid_key: 401,
  missing_scope: 401,
  origin_not_allowed: 401,
  missing_session: 401,
  wrong_credentials: 401,
  not_found: 404,
  no_upcoming_order: 404,
  rate_limited: 429,
  overloaded: 429,
  internal: 500,
  timed_out: 500,
  database_unavailable: 500,
};

/** Returns the HTTP status of an error in this API. */
export function marketingStatus(code: ErrorCode): number {
  return STATUS[code] ?? 400;
}

/** One slug per status: only the statuses in the document. */
export const MARKETING_SLUGS: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  404: 'not_found',
  429: 'rate_limit_exceeded',
  500: 'internal_error',
};

/** A wrong key and the company of another key have the same response: it does not tell a stranger which keys exist. */
const INVALID_KEY = 'The API key is invalid, or belongs to another company than the header X-Company-ID names';
const KEY_TEXTS = {
  missing: 'The API key is missing: send the header Authorization with Bearer and the key',
  invalid: INVALID_KEY,
};

/** The marketing API: bearer key with X-Company-ID; flat bodies; errors `{error, code, message, details}`. */
export const marketingSurface: Surface = {
  name: 'marketing',
  prefixes: ['/marketing/v1', '/marketing'],
  headers: { 'X-API-Version': MARKETING_VERSION, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  handlesUnknown: true,
  recordsRequests: true,
  audits: false,
  compresses: false,
  showsLimit: true,
  checkSender: () => {},
  findHolder: holderByKey(KEY_TEXTS, (request) => {
    const header = request.headers.authorization;
    const match = header === undefined ? null : /^Bearer ([^\s]{1,200})$/i.exec(header);
    return match?.[1] ?? null;
  }),
  checkHolder: (request, holder) => {
    const header = request.headers['x-company-id'];
    if (typeof header !== 'string' || !/^[1-9]\d{0,15}$/.test(header) || !Number.isSafeInteger(Number(header))) {
      throw new AppError('bad_request', 'The header X-Company-ID must be a positive integer');
    }
    if (Number(header) !== holder.companyId) throw new AppError('invalid_key', INVALID_KEY);
  },
  checkRequest: (request) => {
    const asked = request.headers['x-api-version'];
    if (asked !== undefined && asked !== MARKETING_VERSION) {
      throw new AppError('unsupported_version', `X-API-Version: this server speaks version ${MARKETING_VERSION}`);
    }
  },
  checkScope: (holder, endpoint) => {
    if (!grants(holder.scopes, endpoint.scope)) {
      throw new AppError('missing_scope', `The API key lacks the scope ${endpoint.scope}`);
    }
  },
  success: (endpoint, json, response) =>
    endpoint.listAs === undefined
      ? json
      : `{"${endpoint.listAs}":${json},"pagination":${JSON.stringify(response.pagination)}}`,
  failure: (error, requestId) => marketingFailure(error, requestId, ({ field, message }) => ({ field, message })),
};

/** Returns the error's status and body; `detailOf` describes each invalid field. */
export function marketingFailure(
  error: AppError,
  requestId: string,
  detailOf: (field: FieldError) => object,
): { status: number; body: string } {
  const status = marketingStatus(error.code);
  const fields = (error.details.fields as FieldError[] | undefined) ?? [];
  const body = {
    error: MARKETING_SLUGS[status] ?? 'bad_request',
    code: status,
    message: sentence(error.message, fields),
    details: fields.map(detailOf),
  };
  return { status, body: JSON.stringify(status === 500 ? { ...body, request_id: requestId } : body) };
}

/** With several invalid fields the message names them; with one it is that field's own message. */
function sentence(message: string, fields: FieldError[]): string {
  if (fields.length < 2) return message;
  const named = fields.slice(0, 10).map((field) => field.message);
  return fields.length > named.length ? `${named.join('; ')}; …` : named.join('; ');
}
