import { readableOn } from '../../../lib/colors/colors.ts';
import type { PageLook } from '../../../messaging/consent/page.ts';
import type { BrandKit } from './contract.ts';

const NONE = { color: null, logo_url: null };

/** The look of a page by the brand kit, or by what the page sets itself. The text of a button is black or white, whichever is read better. */
export function pageLook(
  kit: Pick<BrandKit, 'logo_url' | 'style'>,
  own: { color: string | null; logo_url: string | null } = NONE,
): PageLook {
  const behind = own.color ?? kit.style.button ?? null;
  const logo = own.logo_url ?? kit.logo_url;
  return {
    logo_url: logo !== null && URL.canParse(logo) ? new URL(logo).href : null,
    button_colors: behind === null ? null : { behind, text: readableOn(behind) },
  };
}
