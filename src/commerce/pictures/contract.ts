import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id } from '../../lib/schemas.ts';

export const MAX_PICTURE_BYTES = 10 * 2 ** 20;

export const PictureVariants = Type.Object(
  { thumb: Type.String(), medium: Type.String(), large: Type.String() },
  { description: 'The longer side has at most 200, 800 and 2,000 pixels' },
);

export const Picture = Type.Object({
  id: Id,
  url: Type.String({ description: 'Of the largest variant: what goes into the `images` of a product' }),
  width: Type.Integer(),
  height: Type.Integer(),
  variants: PictureVariants,
});
export type Picture = Static<typeof Picture>;

export const uploadPicture = {
  method: 'POST',
  path: '/pictures',
  scope: 'products:write',
  tag: 'Products',
  summary: 'Upload a picture',
  description:
    'JPEG, PNG, WebP, GIF or AVIF, of at most 10 MiB and 50 megapixels. It is shown once a product has its `url` among its ' +
    '`images`; one that no product has is removed after a day, and 30 days after the last product let go of it.',
  rawBody: 'image/*',
  anyContentType: true,
  bodyLimit: MAX_PICTURE_BYTES,
  data: Picture,
  status: 201,
} as const satisfies Endpoint;

export const getPictureUsage = {
  method: 'GET',
  path: '/pictures/usage',
  scope: 'products:read',
  tag: 'Products',
  summary: 'Read how much room the pictures take',
  data: Type.Object({
    pictures: Type.Integer(),
    bytes: Type.Integer(),
    max_bytes: Type.Integer({ description: 'No more is taken beyond it' }),
  }),
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const pictureEndpoints: readonly Endpoint[] = [uploadPicture, getPictureUsage];
