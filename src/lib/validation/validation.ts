import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import type { FieldError } from '../../errors.ts';
import { isCalendarDate } from '../timestamps.ts';
import { fieldError } from './field-errors.ts';
import type { AnySchema } from './ignored-fields.ts';

const ajv = new Ajv({ allErrors: true, useDefaults: true, strict: true, strictTypes: false, strictRequired: false });
// ajv-formats is CommonJS: its function is the module's default property under Node's ESM.
(addFormats as unknown as typeof addFormats.default)(ajv, ['date', 'date-time', 'uri']);
// Replaces the package's format, which accepts the year 0: the database has none.
ajv.addFormat('date', isCalendarDate);

ajv.addKeyword({
  keyword: 'x-trim',
  type: 'string',
  // Runs before the other keywords for text: lengths and formats are those of the trimmed text.
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

// For the API reference only (see plain-schema.ts).
ajv.addKeyword('x-documented-as');
// For the reader of queries.
ajv.addKeyword('x-dotted');
ajv.addKeyword('x-repeatable');

/** Invalid fields that a response lists at most. */
const MAX_FIELDS = 100;

export type Validator = (value: unknown) => FieldError[] | null;

/**
 * Returns the validator of a schema: it trims, fills in defaults, and returns all invalid fields at once, or null.
 * Compiled at its first use: most programs never use most schemas, and compiling them all took a third of the start
 * time. Arrays that are far too long are shortened first.
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
 * Shortens arrays that have far more items than their schema allows: they are still too long, but checking them is
 * cheap. Null where the schema limits no array.
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
