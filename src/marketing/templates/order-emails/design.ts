import type { Language } from '../../../messaging/consent/languages.ts';
import type { BrandKit } from '../brand/contract.ts';
import type { Design, DesignBlock } from '../design/schema.ts';
import type { OrderEmail, OrderTexts } from './texts.ts';
import { DE } from './texts-de.ts';
import { EN } from './texts-en.ts';

export const ORDER_TEXTS: Readonly<Record<Language, OrderTexts>> = { en: EN, de: DE };

/** Returns the e-mail as blocks, in the company's brand. Transactional, so that it has no unsubscribe link. */
export function orderEmailDesign(email: OrderEmail, language: Language, brand: BrandKit): Design {
  const texts = ORDER_TEXTS[language];
  const { title, message } = texts.emails[email];
  return {
    style: brand.style,
    blocks: [
      { id: 'top', type: 'spacer', height: 16 },
      ...logoOf(brand),
      { id: 'title', type: 'text', style: 'title', text: title },
      { id: 'message', type: 'text', text: `${texts.greeting}\n\n${message}` },
      ...(email === 'shipped' ? [{ id: 'parcel', type: 'text', text: texts.parcel } as const] : []),
      { id: 'line1', type: 'divider' },
      ...(email === 'payment' ? [{ id: 'payment', type: 'text', text: texts.payment } as const] : orderBlocks(texts)),
      ...(brand.social_links.length === 0
        ? []
        : [{ id: 'social', type: 'social', links: brand.social_links } as const]),
      { id: 'shop', type: 'text', style: 'small', align: 'center', text: shopOf(brand) },
      { id: 'bottom', type: 'spacer', height: 8 },
    ],
  };
}

function orderBlocks(texts: OrderTexts): DesignBlock[] {
  return [
    { id: 'items', type: 'text', text: texts.lines },
    { id: 'totals', type: 'text', align: 'right', text: texts.totals },
    { id: 'line2', type: 'divider' },
    { id: 'address', type: 'text', style: 'small', text: `**${texts.addressHeading}**\n${texts.address}` },
  ];
}

function logoOf({ logo_url: src, website_url: url }: BrandKit): DesignBlock[] {
  if (src === null) return [];
  const logo: DesignBlock = { id: 'logo', type: 'picture', src, alt: '{{ company.name }}', width: 160 };
  return [url === null ? logo : { ...logo, url }];
}

function shopOf({ address }: BrandKit): string {
  // Braces of the address are text, not Liquid.
  return address === null ? '{{ company.name }}' : `{{ company.name }}\n${address.replaceAll(/[{}]/g, '')}`;
}
