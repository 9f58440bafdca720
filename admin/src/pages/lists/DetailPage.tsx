import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { useFormat } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { ContactList } from '../contacts/ListPage.tsx';
import type { Contact } from '../contacts/queries.ts';
import { type ContactList as Record, useList } from './queries.ts';

export function DetailPage() {
  return <Loaded query={useList(useId())}>{(list) => <ListOfContacts list={list} />}</Loaded>;
}

function ListOfContacts({ list }: { list: Record }) {
  const { can } = useShop();
  const format = useFormat();
  const takeOff = useTakeOff(list);
  return (
    <>
      <PageHeader title={list.name} back={{ path: 'lists', text: t('nav.lists') }}>
        {can('marketing:write') ? (
          <>
            <Button component={Anchor} path={`lists/${list.list_id}/edit`} variant="default">
              {t('action.edit')}
            </Button>
            {can('imports:write') ? (
              <Button component={Anchor} path="imports/new" variant="default">
                {t('list.import')}
              </Button>
            ) : null}
            <Members list={list} />
          </>
        ) : null}
      </PageHeader>
      <Section title={t('section.details')}>
        <Facts
          facts={[
            [t('field.description'), list.description],
            [t('list.active'), format.number(list.counts.active)],
            [t('status.pending'), format.number(list.counts.pending)],
            [t('status.unsubscribed'), format.number(list.counts.unsubscribed)],
            [t('list.double_opt_in'), list.double_opt_in ? t('choice.yes') : t('choice.no')],
            [t('list.internal'), list.internal ? t('choice.yes') : t('choice.no')],
          ]}
        />
      </Section>
      <ContactList
        embedded
        listId={list.list_id}
        title={t('nav.contacts')}
        {...(can('marketing:write')
          ? {
              bulk: [
                {
                  text: t('list.remove_selected'),
                  icon: 'x',
                  run: (contacts, unselect) => void takeOff(contacts, unselect),
                },
              ],
            }
          : {})}
      />
    </>
  );
}

/** Removes the contacts from the list after a confirmation. */
function useTakeOff(list: Record): (contacts: Contact[], unselect: () => void) => Promise<void> {
  const { api, company } = useShop();
  const client = useQueryClient();
  return async (contacts, unselect) => {
    const n = contacts.length;
    const sure = await ask({
      title: t('list.take_off', { n, name: list.name }),
      text: t('list.take_off.text'),
      action: t('list.remove_selected'),
    });
    if (!sure) return;
    try {
      const params = { path: { id: list.list_id } };
      const body = { contact_ids: contacts.map(({ contact_id }) => contact_id) };
      const { removed, not_found } = await ok(api.POST('/lists/{id}/contacts/remove', { params, body }));
      unselect();
      await client.invalidateQueries({ queryKey: [company.id] });
      say(t('list.removed', { n: removed, missing: not_found.contact_ids.length }));
    } catch (error) {
      sayError(error);
    }
  };
}

/** Adds existing contacts to the list, or removes them, by their addresses. */
function Members({ list }: { list: Record }) {
  const { api } = useShop();
  const [doing, setDoing] = useState<'add' | 'remove' | null>(null);
  const params = { path: { id: list.list_id } };
  const save = async ({ emails }: { emails: string[] }): Promise<void> => {
    if (doing === 'add') {
      const { added, not_found } = await ok(api.POST('/lists/{id}/contacts', { params, body: { emails } }));
      say(t('list.added', { n: added, missing: not_found.emails.length }));
      return;
    }
    const { removed, not_found } = await ok(api.POST('/lists/{id}/contacts/remove', { params, body: { emails } }));
    say(t('list.removed', { n: removed, missing: not_found.emails.length }));
  };
  return (
    <>
      <Button variant="default" onClick={() => setDoing('remove')}>
        {t('list.remove')}
      </Button>
      <Button onClick={() => setDoing('add')}>{t('list.add')}</Button>
      {doing === null ? null : (
        <FormDialog
          title={doing === 'add' ? t('list.add') : t('list.remove')}
          fields={[
            { name: 'emails', label: t('list.emails'), type: 'words', required: true, help: t('list.emails.help') },
          ]}
          submit={doing === 'add' ? t('list.add') : t('list.remove')}
          save={save}
          onClose={() => setDoing(null)}
        />
      )}
    </>
  );
}
