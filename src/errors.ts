interface ErrorDescription {
  when: string;
  fix: string;
  /** Whether only the admin app's API returns it. */
  admin?: true;
}

/**
 * Every error code of the APIs: when it occurs and what to do. A code is part of the contract (`details.reason` of the
 * commerce API) and never changes its meaning; only `src/http/api/` knows its HTTP status. `docs/errors.md` is made from this.
 */
export const ERRORS = {
  bad_request: {
    when: 'The request is malformed: invalid JSON, an invalid query parameter, an invalid header, an oversized body.',
    fix: 'Correct the request. The commerce API shows `validation_failed` as its reason.',
  },
  validation_failed: {
    when: 'One or more fields of the body are invalid. `details.fields` (marketing: `details`) names each of them.',
    fix: 'Correct the fields.',
  },
  missing_key: { when: 'The request has no API key.', fix: 'Send the key: `X-API-Key`, or `Authorization: Bearer`.' },
  invalid_key: {
    when: 'The API key is unknown, revoked or expired, or belongs to another company than `X-Company-ID` says.',
    fix: 'Use a valid key. After many failed attempts the network is refused for a time with `rate_limited`.',
  },
  missing_scope: {
    when: 'The API key lacks the scope that the endpoint needs.',
    fix: 'Create a key with the scope. The commerce API names it in `details.required`.',
  },
  origin_not_allowed: {
    when: 'Store interface: the page that sends the request belongs to a site that the store key does not list.',
    fix: "Add the site's origin, such as `https://shop.example.com`, to the store key.",
  },
  missing_session: {
    when: 'The admin app, and what belongs to a customer on the store interface: there is no session, or it has ended.',
    fix: 'Sign in again. On the store interface, send the token in `Authorization: Bearer`.',
  },
  wrong_credentials: {
    when: 'The e-mail address, the password, the passkey or the code is wrong.',
    fix: 'Check them; `tradeloom admins reset` creates a new sign-in link for the admin app. On the store interface, ask for a new code after 5 attempts or 10 minutes.',
  },
  second_factor_required: {
    when: 'The account has a second factor, and no code was sent.',
    fix: 'Send the code of the authenticator app, or a recovery code.',
    admin: true,
  },
  invalid_link: {
    when: 'The link is unknown, used or expired.',
    fix: 'Ask for a new link.',
    admin: true,
  },
  forbidden_role: {
    when: "The person's role does not permit this.",
    fix: 'Ask the owner for another role.',
    admin: true,
  },
  confirmation_required: {
    when: 'The action needs a password or passkey that was given within the last 15 minutes.',
    fix: 'Confirm it, and repeat the request.',
    admin: true,
  },
  rate_limited: {
    when: "The key has used up its requests of the hour, or too many of the company's templates are being rendered.",
    fix: 'Wait for the seconds that `Retry-After` says.',
  },
  not_found: {
    when: 'The record or the path does not exist.',
    fix: 'Check the id. Records of other companies do not exist for a key.',
  },
  insufficient_stock: {
    when: 'Some products of the order do not have enough stock. `details.items` lists them with the available quantity.',
    fix: 'Order less, or restock the product.',
  },
  variant_required: {
    when: 'A product that has variants is ordered or subscribed to. `details.variants` lists up to 100 of them.',
    fix: 'Name the id of one of its variants instead.',
  },
  not_a_parent: {
    when: 'The product in the path has no variants, or has variants where the action needs a product without.',
    fix: 'Name another product. `POST /products` with `options` and `variants` creates one that has variants.',
  },
  location_not_empty: {
    when: 'A location with stock, reservations or open transfers is to be closed, or its `online` changed.',
    fix: 'Move its stock to other locations, and end its reservations and transfers first.',
  },
  cart_not_open: {
    when: 'A cart that was placed, cancelled or merged is changed, cancelled or placed.',
    fix: 'Read the cart; go on with its order, or begin another cart.',
  },
  cart_not_ready: {
    when: 'A cart is placed that lacks fields. `details.missing` names them.',
    fix: 'Set the fields with `PATCH /carts/{id}`, or add lines.',
  },
  total_changed: {
    when: 'The total of a cart differs from the `expected_total` with which it is paid. `details.total` is the present one.',
    fix: 'Show the buyer the new total, and pay with it.',
  },
  payment_in_progress: {
    when: 'A cart or order that is being paid would be paid by another method, or its customer be erased.',
    fix: 'Wait for the end of the payment, or cancel it with `POST /carts/{id}/reopen`.',
  },
  payment_declined: {
    when: 'The payment service declined the payment. `details.code` says why, `details.retry` whether the buyer may try again by the same means.',
    fix: 'Let the buyer try again, or choose another payment method. The cart is open.',
  },
  nothing_to_pay: {
    when: 'An order whose balance is not above 0 is to be paid.',
    fix: 'Read its `balance`.',
  },
  payment_not_awaited: {
    when: 'A payment that has ended is to be cancelled.',
    fix: 'Read the payment. What was received is given back with `POST /orders/{id}/refunds`.',
  },
  amount_too_large: {
    when: 'More is to be refunded than was received and not given back, or captured than was authorized. `details.available` says how much is left.',
    fix: 'Refund or capture less.',
  },
  not_refundable: {
    when: 'Nothing was received for the order, or all of it was given back.',
    fix: 'Read its `paid` and `refunded`.',
  },
  promo_not_found: { when: 'The promo code does not exist.', fix: 'Check the code.' },
  promo_inactive: { when: 'The promo code is switched off.', fix: 'Activate the code, or order without it.' },
  promo_not_started: { when: 'The promo code is not valid yet.', fix: 'Order after its start, or without it.' },
  promo_expired: { when: 'The promo code has expired.', fix: 'Order without it.' },
  promo_usage_limit: { when: 'The promo code has been used as often as it may be.', fix: 'Order without it.' },
  promo_customer_limit: {
    when: 'The customer has used the promo code as often as one customer may.',
    fix: 'Order without it.',
  },
  promo_min_subtotal: {
    when: "The order's subtotal is below the minimum of the promo code.",
    fix: 'Add items, or order without the code.',
  },
  promo_not_applicable: {
    when: 'No item of the order is covered by the promo code.',
    fix: 'Add a product that it covers, or order without the code.',
  },
  invalid_status_transition: {
    when: 'An order cannot go from its present status to the one requested: a delivered order is final, for example.',
    fix: 'Read the order, and request a status that follows its present one.',
  },
  subscription_not_modifiable: {
    when: 'The subscription is cancelled, or is not in the status that the action needs.',
    fix: 'Read the subscription and choose an action that its status allows.',
  },
  shipping_unavailable: {
    when: 'No shipping method covers the address, or not the one requested.',
    fix: 'Choose another method or address, or add a zone and a method.',
  },
  payment_method_unavailable: {
    when: "The payment method does not exist, is inactive or for staff only, or is not allowed for the order's total. `details.method_id` names it.",
    fix: 'Choose another payment method.',
  },
  insufficient_points: {
    when: 'The customer has fewer points than are to be redeemed or taken. `details.balance` says how many.',
    fix: 'Redeem fewer points.',
  },
  below_min_redeem: {
    when: 'Fewer points are to be redeemed than the programme allows at once.',
    fix: 'Redeem more points, or none.',
  },
  loyalty_disabled: { when: 'The company has no loyalty programme.', fix: 'Enable it, or order without points.' },
  no_upcoming_order: {
    when: 'The subscription has no next order: it is paused or cancelled.',
    fix: 'Resume the subscription first.',
  },
  contact_conflict: {
    when: 'Two contacts would share an e-mail address, a phone number or an external id.',
    fix: 'Merge the contacts, or change the other one first.',
  },
  idempotency_key_reused: {
    when: 'The `Idempotency-Key` was sent before with another request.',
    fix: 'Use a new key for each request; repeat a request unchanged with its own.',
  },
  idempotency_key_in_use: {
    when: 'The first request with this `Idempotency-Key` is still in progress.',
    fix: 'Repeat the request after a moment.',
  },
  duplicate: {
    when: 'A value that must be unique exists already, such as a slug, a SKU, a code or a name.',
    fix: 'Choose another value, or change the existing record.',
  },
  in_use: {
    when: 'The record cannot be deleted or changed while others use it, such as a frequency that subscriptions have, or a custom field with values.',
    fix: 'Switch it off where that is possible, or change what uses it first.',
  },
  revision_mismatch: {
    when: 'The record was changed since the revision in `If-Match`. Nothing was saved; `details.revision` is the present one (marketing: `details` names `If-Match`).',
    fix: 'Read the record, apply your change to it, and repeat the request with its `revision`.',
  },
  unsupported_version: {
    when: 'The request asks for a version of the API that this server does not have.',
    fix: 'Leave the version header out, or send the version that the response names.',
  },
  overloaded: {
    when: 'The request would have waited for more than 2 seconds, or clients of the company do not read its responses. Nothing was done.',
    fix: 'Repeat the request after `Retry-After`.',
  },
  timed_out: {
    when: 'The request took longer than the database allows. Nothing was changed.',
    fix: 'Ask for less at once: a smaller page, a narrower filter. Repeat a write with its `Idempotency-Key`.',
  },
  database_unavailable: {
    when: 'The database cannot be reached, or refuses writes.',
    fix: 'Repeat the request after `Retry-After`, with the same `Idempotency-Key`.',
  },
  internal: {
    when: 'The program failed. The log has the reason under the `request_id` of the response.',
    fix: 'Repeat the request with the same `Idempotency-Key`; report it if it persists.',
  },
} as const satisfies Record<string, ErrorDescription>;

export type ErrorCode = keyof typeof ERRORS;

/** One invalid field: dotted path (`items.0.qty`), code, sentence. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
  /** In more detail, for translation: see lib/validation/problems.ts. */
  problem?: { code: string; params: Readonly<Record<string, string | number>> };
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

/** The error of an invalid body: every invalid field at once. */
export function validationFailed(fields: FieldError[]): AppError {
  const message = fields.length === 1 ? fields[0]!.message : `${fields.length} fields are invalid`;
  return new AppError('validation_failed', message, { fields });
}

export function invalidField(field: string, message: string, code = 'invalid'): AppError {
  return validationFailed([{ field, code, message }]);
}

/**
 * A request that would wait too long was refused before any of it was done. Not an AppError: workers take an AppError
 * for a refusal of their request itself, and this error says nothing about it.
 */
export class Overloaded extends Error {
  /** Seconds after which to retry. */
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

/** Returns the row of a look-up by id. Throws not_found when there is none. */
export function found<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw notFound(what);
  return row;
}
