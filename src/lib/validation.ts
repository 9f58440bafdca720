import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { TObject, TSchema } from 'typebox';
import type { FieldError } from '../errors.ts';

const ajv = new Ajv({ allErrors: true, useDefaults: true, strict: true, strictTypes: false, strictRequired: false });
// ajv-formats is CommonJS: its function is the module's default property under Node's ESM.
(addFormats as unknown as typeof addFormats.default)(ajv, ['date', 'date-time', 'uri']);
// In place of the package's, which lets the year 0 pass: the database has none.
ajv.addFormat('date', isCalendarDate);

ajv.addKeyword({
  keyword: 'x-trim',
  type: 'string',
  // The first of the keywords of texts: lengths and formats are those of the trimmed text.
  before: 'maxLength',
  modifying: true,
  schema: false,
  validate: (data: string, context?: { parentData: Record<string, unknown>; parentDataProperty: string | number }) => {
    if (context) context.parentData[context.parentDataProperty] = data.trim();
    return true;
  },
});
ajv.addKeyword({
  keyword: 'x-cap',
  type: 'number',
  modifying: true,
  compile: (cap: number) => (data: number, context) => {
    if (data > cap && context) context.parentData[context.parentDataProperty] = cap;
    return true;
  },
});

// For the API reference alone (see plain-schema.ts).
ajv.addKeyword('x-documented-as');

function isCalendarDate(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Failing fields that a response names at most. */
const MAX_FIELDS = 100;

export type Validator = (value: unknown) => FieldError[] | null;

/**
 * The validator of a schema: it trims, fills defaults in, and gives every failing field at once, or null. Compiled at its
 * first use: most programs never see most schemas, and compiling them all took a third of the time of a start. Arrays
 * that are too long lose what is far beyond, so that nobody looks through it.
 */
export function validatorOf(schema: TSchema): Validator {
  let compiled: ValidateFunction | null = null;
  const shorten = shortenerOf(schema);
  return (value) => {
    compiled ??= ajv.compile(schema);
    shorten?.(value);
    return compiled(value) ? null : (compiled.errors ?? []).slice(0, MAX_FIELDS).map(fieldError);
  };
}

/**
 * Cuts the arrays in a value that have far more items than their schema allows: they are too long still, and cheap to
 * refuse with as many failing fields as a response names. Null where the schema bounds none.
 */
function shortenerOf({ maxItems, items, properties }: AnySchema): ((value: unknown) => void) | null {
  const inner = items === undefined ? null : shortenerOf(items);
  if (maxItems !== undefined || inner !== null) {
    return (value) => {
      if (!Array.isArray(value)) return;
      if (maxItems !== undefined && value.length > maxItems + MAX_FIELDS) value.length = maxItems + MAX_FIELDS;
      if (inner !== null) for (const item of value) inner(item);
    };
  }
  const fields = Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const shorten = shortenerOf(property);
    return shorten === null ? [] : [{ name, shorten }];
  });
  if (fields.length === 0) return null;
  return (value) => {
    if (typeof value !== 'object' || value === null) return;
    for (const { name, shorten } of fields) {
      if (Object.hasOwn(value, name)) shorten((value as Record<string, unknown>)[name]);
    }
  };
}

function fieldError(error: ErrorObject): FieldError {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
  if (error.keyword === 'required') path.push(String(error.params.missingProperty));
  const field = path.join('.');
  return { field, code: codeOf(error), message: `${field || 'body'} ${messageOf(error)}` };
}

function codeOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'required';
    case 'type':
      return 'wrong_type';
    case 'enum':
    case 'const':
      return 'not_allowed';
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return 'out_of_range';
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return 'too_short';
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return 'too_long';
    case 'format':
    case 'pattern':
      return 'wrong_format';
    default:
      return 'invalid';
  }
}

function messageOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'enum':
      return `must be one of ${(error.params.allowedValues as unknown[]).map(String).join(', ')}`;
    case 'format':
      return error.params.format === 'date' ? 'must be a date, YYYY-MM-DD' : `must be a valid ${error.params.format}`;
    default:
      return error.message ?? 'is invalid';
  }
}

/**
 * Turns the texts of a query string into the types that the schema names. What does not parse stays text, so that the
 * validator says what is wrong with it. A parameter given twice becomes an array, which no schema accepts.
 */
export function compileQueryReader(schema: TObject): (query: Record<string, unknown>) => Record<string, unknown> {
  const kinds = Object.entries(schema.properties).map(
    ([name, property]) => [name, (property as { type?: string }).type] as const,
  );
  return (query) => {
    const read: Record<string, unknown> = {};
    for (const [name, kind] of kinds) {
      const value = query[name];
      if (value === undefined) continue;
      read[name] = typeof value === 'string' ? coerce(kind, value) : value;
    }
    return read;
  };
}

function coerce(kind: string | undefined, text: string): unknown {
  if (kind === 'integer') return /^-?\d{1,16}$/.test(text) ? Number(text) : text;
  if (kind === 'number') return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text;
  if (kind === 'boolean') {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
  }
  return text;
}

const MAX_IGNORED_NAMES = 20;

/** Characters that the header may have: clients stop reading at 8 or 16 KiB of headers. */
const MAX_IGNORED_LENGTH = 2_000;

/**
 * The names of a body's fields that the schema does not know, as dotted paths fit for a header; '' when there are none.
 * Names that no longer fit are left out.
 */
export function ignoredFields(schema: TSchema, value: unknown): string {
  const names: string[] = [];
  collectIgnored(schema, value, '', names);
  let list = '';
  for (const name of names) {
    const longer = list === '' ? name : `${list}, ${name}`;
    if (longer.length <= MAX_IGNORED_LENGTH) list = longer;
  }
  return list;
}

interface AnySchema {
  properties?: Record<string, AnySchema>;
  additionalProperties?: unknown;
  items?: AnySchema;
  maxItems?: number;
}

function collectIgnored(schema: AnySchema, value: unknown, prefix: string, names: string[]): void {
  if (names.length >= MAX_IGNORED_NAMES || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (schema.items?.properties === undefined && schema.items?.items === undefined) return;
    for (const [i, item] of value.entries()) collectIgnored(schema.items, item, `${prefix}${i}.`, names);
    return;
  }
  const properties = schema.properties;
  if (properties === undefined) return;
  for (const name in value) {
    // A body of nothing but unknown fields is not gone through to its end.
    if (names.length >= MAX_IGNORED_NAMES) return;
    if (Object.hasOwn(properties, name)) {
      collectIgnored(properties[name]!, (value as Record<string, unknown>)[name], `${prefix}${name}.`, names);
    } else if (schema.additionalProperties === undefined) {
      names.push(encodeURIComponent(`${prefix}${name}`.slice(0, 100).toWellFormed()));
    }
  }
}

/**
 * Takes out of a body what `ignoredFields` names, so that nothing can write what nobody checked. Changes the body itself.
 */
export function dropIgnored(schema: TSchema, value: unknown): void {
  drop(schema, value);
}

function drop({ properties, additionalProperties, items }: AnySchema, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (items) for (const item of value) drop(items, item);
    return;
  }
  if (properties === undefined) return;
  const record = value as Record<string, unknown>;
  for (const name of Object.keys(record)) {
    if (Object.hasOwn(properties, name)) drop(properties[name]!, record[name]);
    else if (additionalProperties === undefined) delete record[name];
  }
}
