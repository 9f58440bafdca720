import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import {
  CUSTOM_FIELD_OWNERS,
  CUSTOM_FIELD_TYPES,
  type CustomValue,
  KEY_PATTERN,
  MAX_CHOICE_LENGTH,
  MAX_CHOICES,
  MAX_FIELDS,
  MAX_KEY_LENGTH,
  MAX_VALUES,
} from './definition.ts';

/** The values of a record in responses. */
export const CustomValues = Type.Unsafe<Record<string, CustomValue>>({
  type: 'object',
  additionalProperties: true,
  description: 'The values of its custom fields by key; see `GET /custom-fields`',
});

/** The values of a record in requests. */
export const CustomInput = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  maxProperties: MAX_FIELDS,
  description: 'Values of custom fields by key. Those that are given are set, null clears one, the others stay',
});

const Bound = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  maxLength: 40,
  description: 'A number; for `date` and `moment` a text in the form of the values',
});

const Rules = Type.Object(
  {
    min: Type.Optional(Bound),
    max: Type.Optional(Bound),
    max_length: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    choices: Type.Optional(
      Type.Array(Trimmed({ minLength: 1, maxLength: MAX_CHOICE_LENGTH }), { minItems: 1, maxItems: MAX_CHOICES }),
    ),
  },
  {
    description:
      '`min` and `max` of `integer`, `decimal`, `weight`, `length`, `money`, `date` and `moment`; `max_length` of `text`, `long_text` and `url`; `choices`, required for `choice`',
  },
);

const OwnerField = OneOf(CUSTOM_FIELD_OWNERS, {
  description: '`product`: products without variants and parents. `variant`: variants',
});
const TypeField = OneOf(CUSTOM_FIELD_TYPES, {
  description:
    '`weight` is a number of grams, `length` of millimetres, `money` an amount in the currency of the shop, `color` a text such as `#1a2b3c`; `media`, `product` and `collection` are ids',
});
const List = Type.Boolean({ description: `Whether a value is an array, of at most ${MAX_VALUES} entries` });
const Required = Type.Boolean({
  description: 'Whether new records need a value, and it cannot be cleared; records without one stay as they are',
});
const Visible = OneOf(['staff', 'store'], {
  description: '`store` also shows values on the store interface',
});
const Filterable = Type.Boolean({
  description:
    'Whether lists of products can be filtered by it: `text`, `integer`, `decimal`, `boolean` and `choice` of products and variants',
});
const Position = Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'The place in forms' });
const Name = Trimmed({ minLength: 1, maxLength: 255 });

export const CustomFieldRecord = Type.Object({
  id: Id,
  on: OwnerField,
  key: Type.String(),
  name: Type.String(),
  type: TypeField,
  list: List,
  required: Required,
  rules: Rules,
  visible: Visible,
  filterable: Filterable,
  position: Position,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type CustomFieldRecord = Static<typeof CustomFieldRecord>;

const optional = {
  list: Type.Optional(List),
  required: Type.Optional(Required),
  rules: Type.Optional(Rules),
  visible: Type.Optional(Visible),
  filterable: Type.Optional(Filterable),
  position: Type.Optional(Position),
};

export const CustomFieldInput = Type.Object({
  on: OwnerField,
  key: Type.String({
    maxLength: MAX_KEY_LENGTH,
    pattern: KEY_PATTERN,
    description: 'Names the value in `custom`; unique among the fields of the same kind of record. Cannot be changed',
  }),
  name: Name,
  type: TypeField,
  ...optional,
});
export type CustomFieldInput = Static<typeof CustomFieldInput>;

export const CustomFieldPatch = Type.Object({ name: Type.Optional(Name), type: Type.Optional(TypeField), ...optional });
export type CustomFieldPatch = Static<typeof CustomFieldPatch>;

const CustomFieldQuery = Type.Object({ on: Type.Optional(OwnerField), ...pageQuery(100) });
export type CustomFieldQuery = Static<typeof CustomFieldQuery>;

const read = { scope: 'settings:read', tag: 'Custom fields' } as const;
const write = { scope: 'settings:write', tag: 'Custom fields' } as const;

export const listCustomFields = {
  ...read,
  method: 'GET',
  path: '/custom-fields',
  summary: 'List custom fields',
  description: 'By position.',
  query: CustomFieldQuery,
  inOrderOf: { by: 'position', id: 'id', direction: 'asc' },
  data: Type.Array(CustomFieldRecord),
  status: 200,
} as const satisfies Endpoint;

export const getCustomField = {
  ...read,
  method: 'GET',
  path: '/custom-fields/{id}',
  summary: 'Read a custom field',
  params: IdParams,
  data: CustomFieldRecord,
  status: 200,
} as const satisfies Endpoint;

export const createCustomField = {
  ...write,
  method: 'POST',
  path: '/custom-fields',
  summary: 'Create a custom field',
  description: `A kind of record has at most ${MAX_FIELDS}.`,
  body: CustomFieldInput,
  data: CustomFieldRecord,
  status: 201,
} as const satisfies Endpoint;

export const updateCustomField = {
  ...write,
  method: 'PATCH',
  path: '/custom-fields/{id}',
  summary: 'Change a custom field',
  description:
    'A change of `type`, `list` or `rules` is refused with `in_use` if stored values do not satisfy it; `details.count` is their number. A change of `type` is refused, too, while it would make rules of collections invalid; `details.collection_ids` names them.',
  params: IdParams,
  body: CustomFieldPatch,
  data: CustomFieldRecord,
  status: 200,
} as const satisfies Endpoint;

export const deleteCustomField = {
  ...write,
  method: 'DELETE',
  path: '/custom-fields/{id}',
  summary: 'Delete a custom field',
  mayRefuse: true,
  description:
    'Returns it as it was. Refused with `in_use` while rules of collections need it; `details.collection_ids` names them. Its values are removed from the records in the background; its key is free once that is done.',
  params: IdParams,
  data: CustomFieldRecord,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const customFieldEndpoints: readonly Endpoint[] = [
  listCustomFields,
  getCustomField,
  createCustomField,
  updateCustomField,
  deleteCustomField,
];
