import Type, { type Static } from 'typebox';
import { Nullable, Trimmed } from '../../lib/schemas.ts';
import type { PageLook } from '../../messaging/consent/page.ts';
import type { BrandKit } from '../templates/brand/contract.ts';
import { pageLook } from '../templates/brand/page-look.ts';
import { Color } from '../templates/design/schema.ts';

/** The appearance of a signup form. */
export const FormLook = Type.Object({
  title: Nullable(
    Trimmed({
      maxLength: 120,
      description: 'Above the form; null: the name of the form on its page, nothing elsewhere',
    }),
  ),
  text: Nullable(Trimmed({ maxLength: 500, description: 'Below the title' })),
  button: Nullable(Trimmed({ maxLength: 60, description: 'The text of the button; null: the usual one' })),
  color: Nullable(
    Color('Of the button; null: that of the brand kit. Its text is black or white, whichever is read better'),
  ),
  logo_url: Nullable(
    Type.String({
      maxLength: 2_000,
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s]+$',
      description: 'A picture above the form; null: the logo of the brand kit',
    }),
  ),
});
export type FormLook = Static<typeof FormLook>;

const USUAL: FormLook = { title: null, text: null, button: null, color: null, logo_url: null };

/** The stored look, with null for fields that are not set. */
export function lookOf(stored: Partial<FormLook>): FormLook {
  return { ...USUAL, ...stored };
}

/** The look as shown: that of the brand kit for fields that the form does not set. */
export type ShownLook = Omit<FormLook, 'color' | 'logo_url'> & PageLook;

export function shownLook(stored: Partial<FormLook>, kit: Pick<BrandKit, 'logo_url' | 'style'>): ShownLook {
  const { color, logo_url, ...look } = lookOf(stored);
  return { ...look, ...pageLook(kit, { color, logo_url }) };
}
