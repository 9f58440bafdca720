import type { FieldError } from '../../../errors.ts';

export function wrong(field: string, what: string): FieldError {
  return { field, code: 'invalid', message: `${field} ${what}` };
}
