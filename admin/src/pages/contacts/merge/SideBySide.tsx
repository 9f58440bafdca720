import type { ReactNode } from 'react';
import { t, tOf } from '../../../i18n/i18n.ts';
import { Moment } from '../../../ui/format.tsx';
import { Status } from '../../../ui/Status.tsx';
import type { Contact } from '../queries.ts';
import css from './MergePage.module.css';
import { consentAfter } from './merged.ts';

const TEXTS = ['first_name', 'last_name', 'email', 'phone', 'external_id'] as const;
const CHANNELS = ['email', 'sms'] as const;

interface Row {
  title: string;
  one: ReactNode;
  other: ReactNode;
  after: ReactNode;
}

/** Both contacts, and the result. */
export function SideBySide({ contact, other }: { contact: Contact; other: Contact }) {
  const columns = [
    { key: 'one', title: t('contact.merge.this', { id: contact.contact_id }) },
    { key: 'other', title: t('contact.merge.other', { id: other.contact_id }) },
    { key: 'after', title: t('contact.merge.after') },
  ] as const;
  return (
    <table className={css.table}>
      <caption className="visually-hidden">{t('contact.merge.compare')}</caption>
      <thead>
        <tr>
          <td />
          {columns.map(({ key, title }) => (
            <th key={key} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rowsOf(contact, other).map((row) => (
          <tr key={row.title}>
            <th scope="row">{row.title}</th>
            {columns.map(({ key, title }) => (
              <td key={key} data-title={title} data-after={key === 'after' || undefined}>
                {row[key]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function rowsOf(contact: Contact, other: Contact): Row[] {
  const tags = [...new Set([...contact.tags, ...other.tags])];
  const properties = { ...other.properties, ...contact.properties };
  const first = contact.created_at < other.created_at ? contact : other;
  return [
    ...TEXTS.map((name) => ({
      title: t(`field.${name}`),
      one: contact[name] ?? '–',
      other: other[name] ?? '–',
      after: contact[name] ?? other[name] ?? '–',
    })),
    ...CHANNELS.map((channel) => ({
      title: `${t('consent.title')}: ${tOf('channel', channel)}`,
      one: <Status value={contact.consent[channel].state} />,
      other: <Status value={other.consent[channel].state} />,
      after: <Status value={consentAfter(contact, other, channel)} />,
    })),
    {
      title: t('contact.tags'),
      one: contact.tags.join(', ') || '–',
      other: other.tags.join(', ') || '–',
      after: tags.join(', ') || '–',
    },
    {
      title: t('contact.properties'),
      one: textOf(contact.properties),
      other: textOf(other.properties),
      after: textOf(properties),
    },
    {
      title: t('field.created'),
      one: <Moment at={contact.created_at} />,
      other: <Moment at={other.created_at} />,
      after: <Moment at={first.created_at} />,
    },
  ];
}

function textOf(properties: Record<string, unknown>): string {
  const texts = Object.entries(properties).map(
    ([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  return texts.join(', ') || '–';
}
