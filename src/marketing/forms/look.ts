import Type, { type Static } from 'typebox';
import { readableOn } from '../../lib/colors/colors.ts';
import { Nullable, Trimmed } from '../../lib/schemas.ts';
import type { BrandKit } from '../templates/brand/contract.ts';
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
export interface ShownLook extends Omit<FormLook, 'color'> {
  button_colors: { behind: string; text: string } | null;
}

export function shownLook(stored: Partial<FormLook>, kit: Pick<BrandKit, 'logo_url' | 'style'>): ShownLook {
  const { color, ...look } = lookOf(stored);
  const behind = color ?? kit.style.button ?? null;
  const logo = look.logo_url ?? kit.logo_url;
  return {
    ...look,
    logo_url: logo !== null && URL.canParse(logo) ? new URL(logo).href : null,
    button_colors: behind === null ? null : { behind, text: readableOn(behind) },
  };
}
