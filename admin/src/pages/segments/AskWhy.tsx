import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section } from '../../ui/DetailPage.tsx';
import { nameOf } from '../contacts/queries.ts';

const PAUSE_MS = 250;

/** Searches for a person, member or not, to show how the rules apply to them. */
export function AskWhy({ id }: { id: number }) {
  const { api, company } = useShop();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), PAUSE_MS);
  const { data } = useQuery({
    queryKey: [company.id, 'contacts', 'found', search],
    enabled: search !== '',
    queryFn: ({ signal }) => ok(api.GET('/contacts', { params: { query: { search, per_page: 5 } }, signal })),
  });
  const found = search === '' ? undefined : data?.contacts;
  return (
    <Section title={t('segment.ask')}>
      <TextInput
        size="xs"
        type="search"
        label={t('segment.ask.who')}
        placeholder={t('contacts.search')}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div aria-live="polite">
        {found === undefined ? null : found.length === 0 ? (
          <p className="dim">{t('list.none.title')}</p>
        ) : (
          <ul className="plain">
            {found.map((contact) => (
              <li key={contact.contact_id} className="break">
                <Anchor path={`segments/${id}/contacts/${contact.contact_id}`}>{nameOf(contact)}</Anchor>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Section>
  );
}
