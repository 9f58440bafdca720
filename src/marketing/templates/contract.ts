import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { FreeForm, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';
import { Revision } from '../../lib/validation/revision.ts';
import { WebAddress } from '../../messaging/compose/warnings/addresses.ts';
import { Finding } from '../../messaging/compose/warnings/findings.ts';
import { Design } from './design/schema.ts';

const CHANNELS = ['email', 'sms'] as const;

export const Template = Type.Object({
  template_id: Id,
  name: Type.String(),
  channel: OneOf(CHANNELS),
  subject: Nullable(Type.String()),
  preview_text: Nullable(Type.String()),
  content: Type.String(),
  design: Nullable(Design),
  revision: Revision,
  created_at: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' }),
  updated_at: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' }),
});
export type Template = Static<typeof Template>;

/** A template in the response to a write. */
export const WrittenTemplate = Type.Object({
  ...Template.properties,
  warnings: Type.Array(Type.String(), {
    description: 'Warnings; the template is saved anyway',
  }),
});
export type WrittenTemplate = Static<typeof WrittenTemplate>;

export const parts = {
  subject: Type.Optional(Nullable(Type.String({ maxLength: 900, description: 'Liquid' }))),
  preview_text: Type.Optional(Nullable(Type.String({ maxLength: 255, description: 'Liquid' }))),
};
const contentSchema = {
  minLength: 1,
  maxLength: 500_000,
  description: 'HTML or MJML, or the text of an SMS; Liquid',
};
const Content = Type.String(contentSchema);
const ContentBeside = Type.Optional(
  Type.String({ ...contentSchema, description: `${contentSchema.description}. Required where there is no \`design\`` }),
);
const Name = Trimmed({ minLength: 1, maxLength: 255 });

export const TemplateInput = Type.Object({
  name: Name,
  channel: Type.Optional(OneOf(CHANNELS, { default: 'email' })),
  content: ContentBeside,
  design: Type.Optional(Design),
  ...parts,
});
export type TemplateInput = Static<typeof TemplateInput>;
export const TemplatePatch = Type.Object({
  name: Type.Optional(Name),
  content: Type.Optional(Content),
  design: Type.Optional(Nullable(Design)),
  ...parts,
});
export type TemplatePatch = Static<typeof TemplatePatch>;

export const TemplateQuery = Type.Object({ channel: Type.Optional(OneOf(CHANNELS)), ...pageQuery(20) });

export const Preview = Type.Object({
  subject: Nullable(Type.String()),
  preview_text: Nullable(Type.String()),
  html: Nullable(Type.String({ description: 'Scripts and the like are taken out; null for an SMS' })),
  text: Type.String(),
  sms: Type.Unsafe<{ encoding: 'gsm7' | 'ucs2'; segments: number; units: number } | null>({
    type: ['object', 'null'],
    properties: {
      encoding: { type: 'string', enum: ['gsm7', 'ucs2'], description: 'gsm7 where all characters are of GSM 03.38' },
      segments: { type: 'integer', description: 'What the provider charges' },
      units: { type: 'integer', description: 'Septets, or 16-bit units' },
    },
    description: 'Null for an e-mail',
  }),
  warnings: Type.Array(Type.String(), {
    description: 'Errors of the MJML compiler, and the findings as sentences',
  }),
  findings: Type.Array(Finding, {
    description: 'Warnings about misspelt variables, links, pictures and size',
  }),
  addresses: Type.Array(WebAddress, {
    description: 'The distinct web addresses of an e-mail, 200 at most, none of which was called',
  }),
  content: Type.Optional(Type.String({ description: 'The MJML that a `design` was made into' })),
});
/** The contact whose values a preview shows. */
export const PreviewOf = Type.Object({
  contact_id: Type.Optional(Id),
  event_data: Type.Optional(FreeForm),
});
export const PreviewInput = Type.Object({
  channel: Type.Optional(OneOf(CHANNELS, { default: 'email' })),
  content: ContentBeside,
  design: Type.Optional(Design),
  ...parts,
  from: Type.Optional(
    Nullable(
      Trimmed({
        maxLength: 320,
        description:
          'The sender that the e-mail will have, an address or `Name <address>`; null for that of the sending settings. Where given, a sender whose domain is not verified is among the findings',
      }),
    ),
  ),
  ...PreviewOf.properties,
});

const common = { tag: 'Templates', status: 200 } as const;

export const listTemplates = {
  ...common,
  method: 'GET',
  path: '/templates',
  scope: 'marketing:read',
  summary: 'List templates',
  query: TemplateQuery,
  inOrderOf: { by: 'template_id' },
  data: Type.Array(Template),
  listAs: 'templates',
} as const satisfies Endpoint;

export const createTemplate = {
  ...common,
  method: 'POST',
  path: '/templates',
  scope: 'marketing:write',
  summary: 'Create a template',
  description:
    'From `content`, or from a `design` of blocks. Refused with the line or the block at fault where it cannot be rendered.',
  body: TemplateInput,
  data: WrittenTemplate,
  status: 201,
} as const satisfies Endpoint;

export const getTemplate = {
  ...common,
  method: 'GET',
  path: '/templates/{id}',
  scope: 'marketing:read',
  summary: 'Read a template',
  params: IdParams,
  data: Template,
} as const satisfies Endpoint;

export const updateTemplate = {
  ...common,
  method: 'PATCH',
  path: '/templates/{id}',
  scope: 'marketing:write',
  summary: 'Change a template',
  conditional: true,
  description:
    'Messages sent afterwards use the changed template. A `design` sets `content`. `content` alone removes the design; so does a `design` of null, which keeps the content.',
  params: IdParams,
  body: TemplatePatch,
  data: WrittenTemplate,
} as const satisfies Endpoint;

export const deleteTemplate = {
  ...common,
  method: 'DELETE',
  path: '/templates/{id}',
  scope: 'marketing:write',
  summary: 'Delete a template',
  description: 'Refused while a campaign or a flow uses it.',
  params: IdParams,
  data: Type.Object({ template_id: Id, deleted: Type.Boolean() }),
} as const satisfies Endpoint;

export const previewTemplate = {
  ...common,
  method: 'POST',
  path: '/templates/preview/{id}',
  unaudited: 'changes nothing',
  scope: 'marketing:read',
  summary: 'Preview a template as a contact gets it',
  params: IdParams,
  body: PreviewOf,
  bodyOptional: true,
  data: Preview,
} as const satisfies Endpoint;

export const previewContent = {
  ...common,
  method: 'POST',
  path: '/templates/preview',
  unaudited: 'changes nothing',
  scope: 'marketing:read',
  summary: 'Preview content that is not saved',
  body: PreviewInput,
  data: Preview,
} as const satisfies Endpoint;

export const listVariables = {
  ...common,
  method: 'GET',
  path: '/templates/variables',
  scope: 'marketing:read',
  summary: 'List the variables of messages',
  description:
    'Those that every message knows, the properties that the newest 500 contacts have, the coupon templates, and the custom fields of customers. Below `event`, `order` and `vars` any name may follow.',
  data: Type.Object({
    variables: Type.Array(Type.String({ description: 'As in `{{ contact.first_name }}`' })),
  }),
} as const satisfies Endpoint;

export const testTemplate = {
  ...common,
  method: 'POST',
  path: '/templates/test/{id}',
  scope: 'marketing:write',
  summary: 'Send a template to addresses of your own',
  description: 'To see it in a mail program, before a campaign or a flow uses it.',
  params: IdParams,
  body: Type.Object({
    recipients: Type.Array(Type.String({ minLength: 1, maxLength: 254 }), {
      minItems: 1,
      maxItems: 10,
      description: 'E-mail addresses, or numbers in E.164',
    }),
    contact_id: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Contact whose values are used; none by default' }),
    ),
  }),
  data: Type.Object({ template_id: Id, queued: Type.Integer() }),
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const templateEndpoints: readonly Endpoint[] = [
  listTemplates,
  createTemplate,
  previewContent,
  listVariables,
  getTemplate,
  updateTemplate,
  deleteTemplate,
  previewTemplate,
  testTemplate,
];
