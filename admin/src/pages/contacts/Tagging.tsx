import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { type BodyOf, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { BulkDialog } from '../../ui/list/BulkDialog.tsx';
import type { Contact } from './queries.ts';

export interface Tagging {
  add: boolean;
  contacts: Contact[];
  unselect(): void;
}

/** Prompts for a tag, and adds it to the selected contacts or removes it from them. */
export function TagDialog({ add, contacts, unselect, onClose }: Tagging & { onClose(): void }) {
  const { api } = useShop();
  const n = contacts.length;
  return (
    <FormDialog
      title={t(add ? 'contact.tag_all.title' : 'contact.untag_all.title', { n })}
      fields={[{ name: 'tag', label: t('contact.tag'), type: 'text', required: true }]}
      submit={t(add ? 'contact.tag_add' : 'contact.tag_remove')}
      save={async ({ tag }) => {
        const tags = [String(tag ?? '')];
        for (const { contact_id: id } of contacts) {
          await ok(
            api.PATCH('/contacts/{id}', { params: { path: { id } }, body: add ? { tags } : { remove_tags: tags } }),
          );
        }
        unselect();
      }}
      done={t('contact.tagged', { n })}
      onClose={onClose}
    />
  );
}

export interface TaggingAll {
  add: boolean;
  filters: BodyOf<'/contacts/tag-all', 'post'>['filters'];
  total: number;
  unselect(): void;
}

/** Prompts for a tag, and adds it to all contacts that match or removes it from them. */
export function TagAllDialog({ add, filters, total, unselect, onClose }: TaggingAll & { onClose(): void }) {
  const { api } = useShop();
  const [tag, setTag] = useState('');
  return (
    <BulkDialog
      title={t(add ? 'contact.tag_all.title' : 'contact.untag_all.title', { n: total })}
      text={t(add ? 'contact.tag_all.text' : 'contact.untag_all.text')}
      ready={tag.trim() !== ''}
      start={() => {
        const path = add ? '/contacts/tag-all' : '/contacts/untag-all';
        return ok(api.POST(path, { body: { filters, tag: tag.trim() } }));
      }}
      onStarted={unselect}
      onClose={onClose}
    >
      <TextInput
        label={t('contact.tag')}
        required
        data-autofocus
        maxLength={100}
        value={tag}
        onChange={(event) => setTag(event.currentTarget.value)}
      />
    </BulkDialog>
  );
}
