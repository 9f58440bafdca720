import type { ErrorObject } from 'ajv';
import type { FieldError } from '../../errors.ts';
import type { Problem } from './problems.ts';

/** Converts a failure that Ajv found to the API's error of a field. */
export function fieldError(error: ErrorObject): FieldError {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
  if (error.keyword === 'required') path.push(String(error.params.missingProperty));
  const field = path.join('.');
  return { field, code: codeOf(error), message: `${field || 'body'} ${messageOf(error)}`, problem: problemOf(error) };
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

const LIMITS: Record<string, Problem['code']> = {
  minimum: 'minimum',
  exclusiveMinimum: 'above',
  maximum: 'maximum',
  exclusiveMaximum: 'below',
  minLength: 'shortest',
  maxLength: 'longest',
  minItems: 'fewest',
  maxItems: 'most',
  minProperties: 'fewest',
  maxProperties: 'most',
};

function problemOf({ keyword, params }: ErrorObject): Problem {
  const limit = LIMITS[keyword];
  if (limit !== undefined) return { code: limit, params: { limit: Number(params.limit) } };
  switch (keyword) {
    case 'required':
      return { code: 'required', params: {} };
    case 'type':
      return typeProblem([params.type].flat().map(String));
    case 'enum':
      return { code: 'one_of', params: { list: (params.allowedValues as unknown[]).map(String).join(', ') } };
    case 'format':
      return params.format === 'date'
        ? { code: 'date', params: {} }
        : { code: 'format', params: { format: String(params.format) } };
    default:
      return { code: 'invalid', params: {} };
  }
}

function typeProblem(types: string[]): Problem {
  if (types.includes('number')) return { code: 'no_number', params: {} };
  if (types.includes('integer')) return { code: 'no_whole_number', params: {} };
  return { code: 'wrong_type', params: { type: types.join(', ') } };
}
