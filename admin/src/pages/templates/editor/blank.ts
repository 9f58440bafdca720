import { t } from '../../../i18n/i18n.ts';
import type { BrandKit } from './brand.ts';
import { type Block, type BlockType, type Design, newId } from './document.ts';

/** Returns a new block for the palette, with what the brand kit contains. */
export function newBlock(type: BlockType, brand: BrandKit): Block {
  const id = newId();
  switch (type) {
    case 'text':
      return { id, type, text: t('editor.new.text') };
    case 'button':
      return { id, type, text: t('editor.new.button'), url: brand.website_url ?? 'https://' };
    case 'columns':
      return { id, type, columns: [{ blocks: [] }, { blocks: [] }] };
    case 'product':
      return { id, type, text: t('editor.new.button') };
    case 'product_grid':
      return { id, type, products: [], per_row: 3, text: t('editor.new.button') };
    case 'social':
      return { id, type, links: brand.social_links };
    case 'spacer':
      return { id, type, height: 24 };
    case 'footer':
      return { id, type, address: brand.address ?? '', unsubscribe: t('editor.unsubscribe.default') };
    default:
      return { id, type };
  }
}

/** Returns the initial design of a new e-mail. */
export function newDesign(brand: BrandKit, company: string): Design {
  const logo = { id: newId(), type: 'picture', src: brand.logo_url ?? '', alt: company, width: 160 } as const;
  return {
    style: brand.style,
    blocks: [
      ...(brand.logo_url === null
        ? []
        : [{ ...logo, ...(brand.website_url === null ? {} : { url: brand.website_url }) }]),
      { id: newId(), type: 'text', style: 'title', text: t('editor.new.title') },
      { id: newId(), type: 'text', text: t('editor.new.greeting', { braces: '{{ ', end: ' }}' }) },
      ...(brand.social_links.length === 0 ? [] : [newBlock('social', brand)]),
      newBlock('footer', brand),
    ],
  };
}
