import { grants } from '../../../access/scopes.ts';
import { AppError, type ErrorCode, type FieldError } from '../../../errors.ts';
import { holderByKey, type Surface } from './surface.ts';

export const COMMERCE_VERSION = '1.25';

const STATUS: Partial<Record<ErrorCode, number>> = {
  bad_request: 400,
  unsupported_version: 400,
  missing_key: 401,
  invalid_key: 401,
  missing_scope: 403,
  origin_not_allowed: 403,
  missing_session: 401,
  wrong_credentials: 401,
  forbidden_role: 403,
  confirmation_required: 403,
  not_found: 404,
  no_upcoming_order: 404,
  rate_limited: 429,
  overloaded: 429,
  internal: 500,
  timed_out: 500,
  database_unavailable: 500,
};

/** Returns the HTTP status of an error in this API. */
export function commerceStatus(code: ErrorCode): number {
  return STATUS[code] ?? 422;
}

const KEY_TEXTS = { missing: 'The API key is missing', invalid: 'The API key is invalid' };

/** The ecommerce API: key in X-API-Key; envelopes `{success, data, meta}` and `{success, error}`. */
export const commerceSurface: Surface = {
  name: 'commerce',
  prefixes: ['/commerce/v1'],
  headers: { 'API-Version': COMMERCE_VERSION, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  handlesUnknown: true,
  recordsRequests: true,
  audits: false,
  compresses: false,
  showsLimit: true,
  checkSender: () => {},
  findHolder: holderByKey(KEY_TEXTS, (request) => {
    const header = request.headers['x-api-key'];
    return typeof header === 'string' && header !== '' ? header : null;
  }),
  checkHolder: () => {},
  checkRequest: (request) => {
    const asked = request.headers['api-version'];
    if (asked !== undefined && asked !== COMMERCE_VERSION) {
      throw new AppError('unsupported_version', `This server speaks API version ${COMMERCE_VERSION}`, {
        supported: [COMMERCE_VERSION],
      });
    }
  },
  checkScope: (holder, endpoint) => {
    if (!grants(holder.scopes, endpoint.scope)) {
      throw new AppError('missing_scope', `The API key lacks the scope ${endpoint.scope}`, {
        required: endpoint.scope,
      });
    }
  },
  success: (_endpoint, json, response, requestId) => {
    const pagination = response.pagination ? `,"pagination":${JSON.stringify(response.pagination)}` : '';
    const meta = response.meta === undefined ? '' : `,${JSON.stringify(response.meta).slice(1, -1)}`;
    return `{"success":true,"data":${json},"meta":{"request_id":"${requestId}"${pagination}${meta}}}`;
  },
  failure: (error, requestId) =>
    commerceFailure(error, requestId, ({ field, code, message }) => ({ field, code, message })),
};

/** Returns the error's status and body; `detailOf` describes each invalid field. */
export function commerceFailure(
  error: AppError,
  requestId: string,
  detailOf: (field: FieldError) => object,
): { status: number; body: string } {
  const status = commerceStatus(error.code);
  // A malformed request counts as a failed validation too; the status distinguishes them.
  const reason = error.code === 'bad_request' ? 'validation_failed' : error.code;
  const { fields, ...rest } = error.details as { fields?: FieldError[] };
  const named = fields?.map(detailOf);
  const details = { reason, ...rest, ...(named && { fields: named }), request_id: requestId };
  return {
    status,
    body: JSON.stringify({ success: false, error: { message: error.message, code: status, details } }),
  };
}
