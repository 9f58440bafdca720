export interface FieldError {
  field: string;
  message: string;
  /** The problem, for texts in the person's language. */
  code?: string;
  params?: Readonly<Record<string, string | number>>;
}

/** A request that the server refused, or that did not reach it (status 0), in one form for all its APIs. */
export class ApiError extends Error {
  readonly status: number;
  /** The machine-readable code, such as `validation_failed`. */
  readonly code: string;
  readonly fields: readonly FieldError[];
  /** The slug that another record has, with the code `duplicate` of a category. */
  readonly slug: string | null;

  constructor(
    status: number,
    code: string,
    message: string,
    fields: readonly FieldError[] = [],
    slug: string | null = null,
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.slug = slug;
  }
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Parses the error bodies of commerce (`{error: {message, details}}`) and of the flat APIs (`{error, message, details}`). */
export function errorOf(status: number, body: unknown): ApiError {
  if (!isObject(body)) return new ApiError(status, 'unknown', `HTTP ${status}`);
  const inner = isObject(body.error) ? body.error : body;
  const details = inner.details;
  const reason = isObject(details) && typeof details.reason === 'string' ? details.reason : null;
  const flat = typeof body.error === 'string' ? body.error : null;
  // The flat APIs have the code in `error`, and in details.reason why a confirmation is required.
  const code = flat ?? reason ?? 'unknown';
  const message = typeof inner.message === 'string' ? inner.message : `HTTP ${status}`;
  const slug = isObject(details) && typeof details.slug === 'string' ? details.slug : null;
  return new ApiError(status, code, message, fieldsIn(details, message), slug);
}

/** The invalid fields in the details of an error; a single one, such as a SKU that is taken, has the message of the error. */
function fieldsIn(details: unknown, message: string): FieldError[] {
  const { fields, field } = isObject(details) ? details : {};
  const listed = fields ?? (field === undefined ? details : [{ field, message }]);
  return Array.isArray(listed) ? listed.filter(isField) : [];
}

function isField(value: unknown): value is FieldError {
  return isObject(value) && typeof value.field === 'string' && typeof value.message === 'string';
}
