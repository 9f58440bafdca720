import { Button } from '@mantine/core';
import { useState } from 'react';
import { type BodyOf, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section } from '../../ui/DetailPage.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { useContact } from './queries.ts';
import css from './Tags.module.css';

/** The tags of a contact, which are those of their customer as well; each leads to the list of those who have it. */
export function Tags({ id, list }: { id: number; list: 'contacts' | 'customers' }) {
  const { api, can } = useShop();
  const { data: contact } = useContact(id);
  const [editing, setEditing] = useState(false);
  if (contact === undefined) return null;
  return (
    <Section
      title={t('contact.tags')}
      actions={
        can('marketing:write') ? (
          <Button size="xs" variant="default" onClick={() => setEditing(true)}>
            {t('contact.tags.change')}
          </Button>
        ) : null
      }
    >
      {contact.tags.length === 0 ? (
        <p className="dim">{t('contact.tags.none')}</p>
      ) : (
        <ul className={`plain ${css.tags}`} aria-label={t('contact.tags')}>
          {contact.tags.map((tag) => (
            <li key={tag} className={css.tag}>
              <Anchor path={`${list}?tag=${encodeURIComponent(tag)}`}>{tag}</Anchor>
            </li>
          ))}
        </ul>
      )}
      {editing ? (
        <FormDialog<BodyOf<'/contacts/{id}', 'patch'>>
          title={t('contact.tags.change')}
          text={t('contact.tags.shared')}
          fields={[{ name: 'tags', label: t('contact.tags'), type: 'words', help: t('contact.tags.help') }]}
          initial={{ tags: contact.tags.join(', ') }}
          submit={t('action.save')}
          save={({ tags = [] }) =>
            ok(api.PATCH('/contacts/{id}', { params: { path: { id } }, body: { tags, tags_mode: 'replace' } }))
          }
          done={t('form.saved')}
          onClose={() => setEditing(false)}
        />
      ) : null}
    </Section>
  );
}
