interface Details {
  code?: string;
  decline_code?: string;
  param?: string;
  charge?: string;
  payment_intent?: unknown;
}

/** An error of the Stripe API. */
export class StripeApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly details: Details;

  constructor(status: number, type: string, message: string, details: Details = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.details = details;
  }

  get body(): object {
    return { error: { type: this.type, message: this.message, ...this.details } };
  }

  /** Stripe remembers no response to parameters that it did not begin to process. */
  get isRemembered(): boolean {
    return this.status === 402 || (this.status === 400 && !this.details.code?.startsWith('parameter_'));
  }
}

export function invalid(message: string, details: Details = {}): StripeApiError {
  return new StripeApiError(400, 'invalid_request_error', message, details);
}

export function parameterMissing(param: string): StripeApiError {
  return invalid(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
}

export function parameterUnknown(param: string): StripeApiError {
  return invalid(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
}

export function missing(what: string, id: string, param: string): StripeApiError {
  const details = { code: 'resource_missing', param };
  return new StripeApiError(404, 'invalid_request_error', `No such ${what}: '${id}'`, details);
}
