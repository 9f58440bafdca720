import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { type Contact, nameOf } from '../queries.ts';
import css from './MergePage.module.css';

const TYPING_MS = 200;
const SHOWN = 6;

interface CandidatesProps {
  contact: Contact;
  /** The id of the other contact. */
  chosen: number | null;
  onChoose(other: Contact): void;
}

/** Searches the other contact by name or e-mail address. */
export function Candidates({ contact, chosen, onChoose }: CandidatesProps) {
  const { api, company } = useShop();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const { data } = useQuery({
    queryKey: [company.id, 'contacts', 'merge', search],
    enabled: search !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => ok(api.GET('/contacts', { params: { query: { search, per_page: SHOWN } }, signal })),
  });
  const others = data?.contacts.filter(({ contact_id }) => contact_id !== contact.contact_id);
  return (
    <div className="stack">
      <TextInput
        type="search"
        label={t('contact.merge.who')}
        description={t('contact.merge.help')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autoComplete="off"
      />
      {search === '' || others === undefined ? null : others.length === 0 ? (
        <p className="dim">{t('contact.merge.none')}</p>
      ) : (
        <fieldset className={css.candidates}>
          <legend className="visually-hidden">{t('contact.merge.who')}</legend>
          {others.map((one) => (
            <label key={one.contact_id} className={css.candidate}>
              <input type="radio" name="other" checked={chosen === one.contact_id} onChange={() => onChoose(one)} />
              <span>
                <span className="break">{nameOf(one)}</span>
                <br />
                <span className="dim break">
                  #{one.contact_id} · {one.email ?? one.phone ?? '–'}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}
