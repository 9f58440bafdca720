import type { FieldError } from '../../errors.ts';

/** Problems of a field beyond its schema: codes for programs that write their own texts, and the API's text to follow the field's name. */
export const PROBLEMS = {
  reserved_step_id: 'is reserved for the entry',
  step_id_taken: 'is used by another step',
  too_many_history_rules: 'use more than {most} different rules on contact histories',
  cooldown_without_hours: 'is required with the mode cooldown',
  no_step: 'refers to an unknown step: {name}',
  no_branch: 'is not a branch of {step}: {name}',
  second_way: 'is a second connection from branch {name} of {step}',
  unreachable: 'cannot be reached from the trigger: {name}',
  loop_without_wait: 'is part of a loop without a wait: {name}',
  no_step_of_newest: 'refers to a step that the newest version does not have: {name}',
  moved_twice: 'is moved twice: {name}',
  no_sender: 'must be an e-mail address, or Name <address>',
  no_content: 'needs a template_id, or subject and content',
  no_date_field: 'must be contact.properties.…, contact.custom.… or contact.created_at',
  segment_missing: 'is required with the trigger segment_joined',
  no_segment: 'refers to an unknown segment: {name}',
  no_time: 'needs a time, weekdays or a date_field',
  no_weight: 'must have a weight over 0',
  key_twice: 'is used twice: {name}',
  no_zone: 'must be contact or an IANA time zone such as Europe/Berlin',
  no_event_type: 'refers to an unknown event type: {name}',
  not_event_type: 'is not an event type: {name}',
  no_list: 'refers to an unknown list: {name}',
  no_template: 'refers to an unknown e-mail template: {name}',
  no_flow: 'refers to an unknown flow: {name}',
  no_subject: 'is required, because the template has none',
  refused_url: ': {reason}',
  liquid: ': {reason}',
  liquid_line: ': {reason} (line {line})',
  too_many_rules: 'has more than {most} rules',
  too_many_groups: 'has more than {most} groups',
  no_group: 'must be an object with operator and rules',
  too_deep: 'is nested more than {most} deep',
  no_operator: 'must be and or or',
  no_array: 'must be an array',
  no_rule: 'must be an object with field, comparison and value',
  no_comparison: 'must be one of {list}',
  where_unfit: 'is allowed only with counts, amounts and dates of events',
  no_path: 'must be a dotted path',
  no_data_path: 'must be a path in the data of the event',
  no_contact_field: 'is not a contact field: {name}',
  no_product_field: 'is not a field of products: {name}',
  days_unfit: 'is allowed only with counts and amounts of events, purchases and messages',
  no_days: 'must be a number over 0, at most {most}',
  no_scalar: 'must be a string, a number or a boolean',
  no_choices: 'must be an array of 1 to {most} strings or numbers',
  no_text: 'must be a string',
  no_ends: 'must be an array of two numbers or two dates',
  no_moment: 'must be a date, YYYY-MM-DD or YYYY-MM-DD HH:MM:SS',
  no_number_or_date: 'must be a number or a date',
  no_number: 'must be a number',
  no_number_ends: 'must be an array of two numbers',
  no_date_ends: 'must be an array of two dates',
  no_class: 'must be one of {list}',
  no_classes: 'must be an array of one of {list}',
  no_flag: 'must be true or false',
  no_day: 'must be a date, YYYY-MM-DD',
  type_unfit: 'cannot compare values of the type {type}: {comparison}',
  number_unfit: 'cannot be compared with a number by {comparison}',
  date_unfit: 'cannot be compared with a date by {comparison}',
  class_unfit: 'cannot be compared with a class by {comparison}',
  no_whole_number: 'must be a whole number',
  decimals: 'has more decimal places than {currency}',
  six_decimals: 'may have at most six decimal places',
  no_country: 'must be a country code',
  no_state: 'is required in this country',
  unknown_state: 'is not a state or province of {country}: {name}. Use its ISO 3166-2 code or its English name',
  no_email: 'must be a valid e-mail address',
  common_password: 'is too common',
  zip_before: 'must not come before zip_from',
  ends_early: 'ends before it begins',
  no_promo_code: 'must consist of printable ASCII characters without white space',
  no_scope: 'is required for scope {scope}',
  end_before: 'must be after starts_at',
  used_more: 'must be at least {used}, the number of uses so far',
  no_percentage: 'must be a percentage above 0 and up to 100',
  no_amount: 'must be an amount above 0',
  no_count: 'must be a whole number from 1 to 9999',
  no_bracket: 'must have an entry',
  bracket_twice: 'must begin at different amounts',
  no_time_zone: 'must be an IANA name such as Europe/Berlin',
  no_currency: 'must be an ISO 4217 code such as EUR',
  max_below_min: 'must not be below min_total',
  no_store_url: 'must begin with https://, or http:// on localhost, and have no query',
  no_origin: 'must be a scheme and a host, such as https://shop.example.com: {name}',
  no_secret_key: 'is required before the account can be activated',
  no_publishable_key: 'is required for Stripe',
  key_prefix: 'must be a key of the mode of the account and begin with {list}',
  unfit_for_service: 'is not used with {name}',
  no_payment_account: 'must be an active payment account of {name}',
  currency_used: 'cannot change after the first order',
  currency_decimals: 'must keep its number of decimal places, because prices already exist',
} as const;

/** Codes of problems that schemas find; their texts are the validator's. */
export const SCHEMA_PROBLEMS = [
  ...(['required', 'wrong_type', 'one_of', 'minimum', 'above', 'maximum', 'below', 'shortest', 'longest'] as const),
  ...(['fewest', 'most', 'date', 'format', 'invalid'] as const),
] as const;

export type ProblemCode = keyof typeof PROBLEMS | (typeof SCHEMA_PROBLEMS)[number];
export type ProblemParams = Readonly<Record<string, string | number>>;
export interface Problem {
  code: ProblemCode;
  params: ProblemParams;
}

/** A problem that has a text here. */
export interface KnownProblem extends Problem {
  code: keyof typeof PROBLEMS;
}

export function problem(code: KnownProblem['code'], params: ProblemParams = {}): KnownProblem {
  return { code, params };
}

/** The error of a field; `kind` is its coarse code, which the commerce API returns. */
export function wrong(field: string, { code, params }: KnownProblem, kind = 'invalid'): FieldError {
  const text = PROBLEMS[code].replace(/\{(\w+)\}/g, (_whole, name: string) => String(params[name]));
  return { field, code: kind, message: `${field}${text.startsWith(':') ? '' : ' '}${text}`, problem: { code, params } };
}
