import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import css from './LivePreview.module.css';

export interface ChosenContact {
  id: number;
  name: string;
}

/** The contact whose values a preview or a test shows; with a visible label, or that of the preview. */
export function ContactChoice(props: {
  contact: ChosenContact | null;
  label?: string;
  onChoose(contact: ChosenContact | null): void;
}) {
  const { api, company } = useShop();
  const { contact, label, onChoose } = props;
  const [search, setSearch] = useState('');
  const term = search.trim();
  const { data } = useQuery({
    queryKey: [company.id, 'contacts', 'choice', term],
    enabled: term.length > 1,
    queryFn: ({ signal }) => ok(api.GET('/contacts', { params: { query: { search: term, per_page: 5 } }, signal })),
  });
  if (contact !== null) {
    return (
      <Button size="xs" variant="default" onClick={() => onChoose(null)}>
        {t('preview.contact.chosen', { name: contact.name })}
      </Button>
    );
  }
  const found = (term.length > 1 ? (data?.contacts ?? []) : []).map((one) => {
    const { contact_id: id, email, first_name, last_name } = one;
    return { id, name: [first_name, last_name].filter(Boolean).join(' ') || email || String(id) };
  });
  const choose = (one: ChosenContact): void => {
    onChoose(one);
    setSearch('');
  };
  return (
    <div className={css.choice}>
      <TextInput
        {...(label === undefined
          ? { size: 'xs', 'aria-label': t('preview.contact'), placeholder: t('preview.contact') }
          : { label })}
        autoComplete="off"
        maxLength={200}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // It is used within forms, which Enter would submit.
          event.preventDefault();
          if (found[0] !== undefined) choose(found[0]);
        }}
      />
      {found.length === 0 ? null : (
        <ul className={css.contacts}>
          {found.map((one) => (
            <li key={one.id}>
              <Button size="xs" variant="subtle" fullWidth justify="flex-start" onClick={() => choose(one)}>
                {one.name}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
