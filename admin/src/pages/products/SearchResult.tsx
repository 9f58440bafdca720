import type { Product } from './queries.ts';
import './texts.ts';
import { hasTags } from '../../../../src/lib/html.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Section } from '../../ui/DetailPage.tsx';
import type { FieldOf, Values } from '../../ui/form/values.ts';
import { parsedDocument } from '../../ui/markup.ts';
import css from './SearchResult.module.css';

type Texts = Partial<Pick<Product, 'seo_title' | 'seo_description'>>;

/** What search engines show of a title and a description, in characters. */
const SHOWN = { title: 60, description: 160 };

/** The fields for what search engines show of a product or a collection. */
export const seoFields = (): FieldOf<Texts>[] => [
  {
    name: 'seo_title',
    label: t('product.seo_title'),
    type: 'text',
    help: t('product.seo_title.help', { n: SHOWN.title }),
  },
  {
    name: 'seo_description',
    label: t('product.seo_description'),
    type: 'long',
    help: t('product.seo_description.help', { n: SHOWN.description }),
    bodyOf: (value) => String(value).trim() || null,
  },
];

/** How a search engine may show the page of what is typed. */
export function SearchPreview({ values }: { values: Values }) {
  const { company } = useShop();
  const typed = (name: string): string => String(values[name] ?? '').trim();
  const title = typed('seo_title') || typed('name');
  const description = typed('seo_description') || plainText(typed('description'));
  return (
    <Section title={t('product.seo.preview')}>
      <div className={css.result}>
        <span className="dim break">{[company.name, typed('slug')].filter((part) => part !== '').join(' › ')}</span>
        <span className={`${css.title} break`}>{cut(title, SHOWN.title)}</span>
        {description === '' ? (
          <span className="dim">{t('product.seo.none')}</span>
        ) : (
          <span className="break">{cut(description, SHOWN.description)}</span>
        )}
      </div>
    </Section>
  );
}

/** The text of a description, as the store interface shortens it. */
function plainText(text: string): string {
  if (!hasTags(text)) return text.replace(/\s+/g, ' ');
  const parsed = parsedDocument(text.replace(/<(?=br|\/(?:p|div|li|h\d|t[dhr])\b)/gi, ' <'));
  return (parsed.body.textContent ?? '').replace(/\s+/g, ' ').trim();
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(0, length).lastIndexOf(' ');
  return `${text.slice(0, end > 0 ? end : length)}…`;
}
