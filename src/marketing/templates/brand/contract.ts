import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { Nullable, Trimmed } from '../../../lib/schemas.ts';
import { DesignStyle, SocialLink } from '../design/schema.ts';

const HTTPS = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s]+$';
const Url = (description: string) => Nullable(Type.String({ maxLength: 2_000, pattern: HTTPS, description }));

const fields = {
  logo_url: Url('The address of the logo'),
  website_url: Url('Where the logo leads'),
  product_url: Url(
    'Address of a product page; `{slug}` is replaced by the slug of the product: https://shop.example/p/{slug}',
  ),
  address: Nullable(Trimmed({ minLength: 1, maxLength: 500, description: 'The postal address in footers' })),
  style: DesignStyle,
  social_links: Type.Array(SocialLink, { maxItems: 10 }),
};

/** The appearance of a company's e-mails. */
export const BrandKit = Type.Object(fields);
export type BrandKit = Static<typeof BrandKit>;

export const BrandKitPatch = Type.Partial(Type.Object(fields));
export type BrandKitPatch = Static<typeof BrandKitPatch>;

export const getBrandKit = {
  method: 'GET',
  path: '/brand-kit',
  scope: 'marketing:read',
  // Whoever prints a packing slip sees the logo on it.
  personScope: 'orders:read',
  tag: 'Templates',
  summary: 'Read the brand kit',
  description: 'The logo, colors, fonts, postal address and profiles that new e-mails of blocks begin with.',
  data: BrandKit,
  status: 200,
} as const satisfies Endpoint;

export const updateBrandKit = {
  method: 'PATCH',
  path: '/brand-kit',
  scope: 'marketing:write',
  tag: 'Templates',
  summary: 'Change the brand kit',
  description:
    'Sets the fields that are given; null goes back to nothing. Of existing templates, only the e-mails about orders that every company has follow, unless their blocks were edited.',
  body: BrandKitPatch,
  data: BrandKit,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const brandKitEndpoints: readonly Endpoint[] = [getBrandKit, updateBrandKit];
