import { fromJsonSchema, type JsonSchemaType } from '@modelcontextprotocol/server';
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
// ajv-formats is CommonJS: its function is the module's default property under Node's ESM.
(addFormats as unknown as typeof addFormats.default)(ajv);

/** Problems that a refusal lists at most. */
const MAX_LISTED = 20;

/** The schema of a tool's arguments. The SDK's own checks do not name an unknown argument, which a model then cannot correct. */
export function argumentsOf<T>(schema: object) {
  return fromJsonSchema<T>(schema as JsonSchemaType, {
    getValidator<V>(given: JsonSchemaType) {
      const validate = ajv.compile<V>(given);
      return (input: unknown) =>
        validate(input)
          ? { valid: true, data: input as V, errorMessage: undefined }
          : { valid: false, data: undefined, errorMessage: textOf(validate.errors ?? []) };
    },
  });
}

function textOf(errors: ErrorObject[]): string {
  return [...new Set(errors.map(problemOf))].slice(0, MAX_LISTED).join('; ');
}

function problemOf({ keyword, instancePath, params, message = 'is invalid' }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const nameOf = (name: unknown): string => [...path, name].join('.');
  if (keyword === 'additionalProperties') return `${nameOf(params.additionalProperty)} is unknown`;
  if (keyword === 'required') return `${nameOf(params.missingProperty)} is required`;
  if (keyword === 'enum') return `${path.join('.')} must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
  return `${path.join('.') || 'the arguments'} ${message}`;
}
