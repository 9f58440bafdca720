import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { LANGUAGES } from '../../messaging/consent/languages.ts';
import { CHANNELS } from '../../recipients/consent.ts';
import { FormLook } from './look.ts';

const Timestamp = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

const Field = Type.Object({
  name: Type.String({
    pattern: '^(first_name|last_name|phone|properties\\.[a-z][a-z0-9_]{0,39})$',
    description: 'first_name, last_name, phone or properties.NAME',
  }),
  label: Type.Optional(Trimmed({ minLength: 1, maxLength: 80, description: 'Instead of the default' })),
  required: Type.Optional(Type.Boolean()),
});
export type FormField = Static<typeof Field>;

const ConsentText = Trimmed({ maxLength: 1_000, description: 'What people agree to; stored with each consent' });
const shared = {
  list_ids: Type.Array(Id, { maxItems: 20, description: 'Lists that people come on' }),
  channels: Type.Array(OneOf(CHANNELS), { minItems: 1, maxItems: 2, description: 'What people consent to' }),
  double_opt_in: Type.Boolean({
    description:
      'Consent counts when it is confirmed by the link of a message. Without, a form never takes back an unsubscription.',
  }),
  fields: Type.Array(Field, { maxItems: 10, description: 'Fields in addition to the e-mail address' }),
  allowed_origins: Type.Array(Trimmed({ minLength: 8, maxLength: 255 }), {
    maxItems: 20,
    description: 'Sites that may send the form: https://shop.example. The hosted page always may.',
  }),
  success_text: Nullable(Trimmed({ maxLength: 500 })),
  redirect_url: Nullable(
    Trimmed({ maxLength: 2_000, description: 'Where people go afterwards: on an allowed origin' }),
  ),
  language: OneOf(LANGUAGES),
  min_fill_seconds: Type.Integer({
    minimum: 0,
    maximum: 60,
    description: 'Quicker ones are ignored: programs; 0: not checked',
  }),
  max_per_hour: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Submissions of the form that are taken' }),
};

export const Form = Type.Object({
  form_id: Id,
  public_id: Type.String(),
  name: Type.String(),
  ...shared,
  look: FormLook,
  consent_text: Type.String(),
  submissions: Type.Integer(),
  confirmed: Type.Integer({ description: 'Without double opt-in, submissions with consent' }),
  page_url: Type.String({ description: 'The hosted page, to which other pages may post as well' }),
  embed: Type.String({ description: 'HTML that puts the form into a page' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Form = Static<typeof Form>;

const Name = Trimmed({ minLength: 1, maxLength: 255 });
const look = Type.Partial(FormLook);
export const FormPatch = Type.Partial(Type.Object({ name: Name, ...shared, look, consent_text: ConsentText }));
export type FormPatch = Static<typeof FormPatch>;
export const FormInput = Type.Object({ ...FormPatch.properties, name: Name });
export type FormInput = Static<typeof FormInput>;

export const listForms = {
  method: 'GET',
  path: '/forms',
  scope: 'marketing:read',
  tag: 'Forms',
  summary: 'List signup forms',
  description: 'Newest first, with their outcomes.',
  query: Type.Object(pageQuery(20)),
  inOrderOf: { by: 'form_id' },
  data: Type.Array(Form),
  listAs: 'forms',
  status: 200,
} as const satisfies Endpoint;

export const createForm = {
  method: 'POST',
  path: '/forms',
  scope: 'marketing:write',
  tag: 'Forms',
  summary: 'Create a signup form',
  description:
    'By default with double opt-in, for e-mail, in English, with 500 submissions an hour. It is filled in on its hosted page, by the snippet in a page of yours, or by a POST to its address.',
  body: FormInput,
  data: Form,
  status: 201,
} as const satisfies Endpoint;

export const getForm = {
  method: 'GET',
  path: '/forms/{id}',
  scope: 'marketing:read',
  tag: 'Forms',
  summary: 'Read a signup form',
  params: IdParams,
  data: Form,
  status: 200,
} as const satisfies Endpoint;

export const updateForm = {
  method: 'PATCH',
  path: '/forms/{id}',
  scope: 'marketing:write',
  tag: 'Forms',
  summary: 'Change a signup form',
  description: 'Changes the given fields, also within `look`. Earlier submissions keep their consent text.',
  params: IdParams,
  body: FormPatch,
  data: Form,
  status: 200,
} as const satisfies Endpoint;

export const formDays = {
  method: 'GET',
  path: '/forms/{id}/days',
  scope: 'marketing:read',
  tag: 'Forms',
  summary: 'Count the submissions of a signup form by day',
  description: 'Days (UTC) up to today, with submissions and confirmations on each day.',
  params: IdParams,
  query: Type.Object({
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 400, default: 30, description: 'So many days' })),
  }),
  data: Type.Object({
    form_id: Id,
    days: Type.Array(Type.Object({ day: CalendarDate, submissions: Type.Integer(), confirmed: Type.Integer() })),
  }),
  status: 200,
} as const satisfies Endpoint;

export const deleteForm = {
  method: 'DELETE',
  path: '/forms/{id}',
  scope: 'marketing:write',
  tag: 'Forms',
  summary: 'Delete a signup form',
  description: 'Its page no longer exists, and open confirmations become invalid. Consents are kept.',
  params: IdParams,
  data: Type.Object({ form_id: Id, deleted: Type.Boolean() }),
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const formEndpoints: readonly Endpoint[] = [listForms, createForm, getForm, updateForm, formDays, deleteForm];
