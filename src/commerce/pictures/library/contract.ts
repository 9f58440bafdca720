import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../../lib/schemas.ts';
import { Revision } from '../../../lib/validation/revision.ts';
import { PictureVariants } from '../contract.ts';

export const MAX_FILE_BYTES = 20 * 2 ** 20;

export const MEDIA_KINDS = ['picture', 'file', 'link'] as const;

const FocalPoint = Type.Object(
  { x: Type.Number({ minimum: 0, maximum: 1 }), y: Type.Number({ minimum: 0, maximum: 1 }) },
  {
    description:
      'The point that stays visible when the picture is cropped: fractions of width and height from the top left',
  },
);

const Use = Type.Object({ kind: OneOf(['product', 'collection']), id: Id, name: Type.String() });

export const Media = Type.Object({
  id: Id,
  kind: OneOf(MEDIA_KINDS),
  url: Type.String({ description: 'Of a picture, that of its largest variant: what goes into `images` of a product' }),
  variants: Nullable(PictureVariants),
  alt: Type.String({ description: 'Alternative text of a picture' }),
  title: Type.String(),
  tags: Type.Array(Type.String()),
  focal_point: Nullable(FocalPoint),
  bytes: Type.Integer({ description: 'Of all variants together; 0 for a link' }),
  width: Nullable(Type.Integer()),
  height: Nullable(Type.Integer()),
  used_in: Type.Array(Use, {
    description:
      'What shows it as a picture or in a custom field of type `media`: the first 100 products, variants included, and the first 100 collections. Values of customers and orders are not searched',
  }),
  revision: Revision,
  created_at: Type.String({ format: 'date-time' }),
});
export type Media = Static<typeof Media>;

const Title = Trimmed({ maxLength: 255 });

const MediaLink = Type.Object({
  kind: OneOf(['link']),
  url: Type.String({ maxLength: 2_000, description: 'An HTTP or HTTPS address' }),
  title: Type.Optional(Title),
});
export type MediaLink = Static<typeof MediaLink>;

export const MediaPatch = Type.Object({
  alt: Type.Optional(Trimmed({ maxLength: 1_000 })),
  title: Type.Optional(Title),
  tags: Type.Optional(Type.Array(Trimmed({ minLength: 1, maxLength: 60 }), { maxItems: 50, uniqueItems: true })),
  focal_point: Type.Optional(Nullable(FocalPoint)),
});
export type MediaPatch = Static<typeof MediaPatch>;

const MediaQuery = Type.Object({
  kind: Type.Optional(OneOf(MEDIA_KINDS)),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Part of the title, the alternative text or a tag' }),
  ),
  unused: Type.Optional(Type.Boolean({ description: 'Only what nothing shows, or only what something shows' })),
  ...pageQuery(25),
});
export type MediaQuery = Static<typeof MediaQuery>;

const tag = 'Media';

export const listMedia = {
  method: 'GET',
  path: '/media',
  scope: 'products:read',
  tag,
  summary: 'List the media library',
  description: 'Newest first: what was added to the library, and every picture that a product shows.',
  query: MediaQuery,
  inOrderOf: { by: 'id' },
  data: Type.Array(Media),
  status: 200,
} as const satisfies Endpoint;

export const getMedia = {
  method: 'GET',
  path: '/media/{id}',
  scope: 'products:read',
  tag,
  summary: 'Read a picture, file or link',
  params: IdParams,
  data: Media,
  status: 200,
} as const satisfies Endpoint;

export const addMedia = {
  method: 'POST',
  path: '/media',
  scope: 'products:write',
  tag,
  summary: 'Add to the media library',
  description:
    'The body is the bytes of a picture (JPEG, PNG, WebP, GIF or AVIF, at most 10 MiB and 50 megapixels) or of a PDF file (at most 20 MiB), or a link as JSON. It is kept until it is deleted. The same bytes return the same record.',
  query: Type.Object({ title: Type.Optional(Trimmed({ maxLength: 255, description: 'Of a picture or file' })) }),
  body: MediaLink,
  rawBody: 'image/*, application/pdf',
  bodyLimit: MAX_FILE_BYTES,
  data: Media,
  status: 201,
} as const satisfies Endpoint;

export const updateMedia = {
  method: 'PATCH',
  path: '/media/{id}',
  scope: 'products:write',
  tag,
  summary: 'Change title, alternative text, tags or focal point',
  description: 'A picture that was uploaded for a product joins the library, and is kept until it is deleted.',
  params: IdParams,
  body: MediaPatch,
  conditional: true,
  data: Media,
  status: 200,
} as const satisfies Endpoint;

export const deleteMedia = {
  method: 'DELETE',
  path: '/media/{id}',
  scope: 'products:write',
  tag,
  summary: 'Delete from the media library',
  mayRefuse: true,
  description:
    'Returns the record as it was. Refused with `in_use` while a record in `used_in` shows it; `force=true` removes it there, too, from at most 10,000 products and 10,000 collections. Its address stops working, also in messages that were sent; caches in front of the server may keep it.',
  params: IdParams,
  query: Type.Object({ force: Type.Optional(Type.Boolean()) }),
  data: Media,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const mediaEndpoints: readonly Endpoint[] = [listMedia, getMedia, addMedia, updateMedia, deleteMedia];
