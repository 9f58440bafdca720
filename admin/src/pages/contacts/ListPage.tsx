import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Moment } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { sortBy, sortByAge } from '../../ui/list/sorting.tsx';
import type { BulkAction, Column } from '../../ui/list/types.ts';
import { Status } from '../../ui/Status.tsx';
import { type Contact, nameOf } from './queries.ts';
import { shownStatus } from './status.ts';
import { TagAllDialog, TagDialog, type Tagging, type TaggingAll } from './Tagging.tsx';

const STATUSES = ['subscribed', 'unsubscribed', 'bounced'] as const;

export function ListPage() {
  const { can } = useShop();
  return (
    <ContactList
      {...(can('marketing:write') ? { create: { path: 'contacts/new', text: t('contact.new') } } : {})}
      title={t('nav.contacts')}
    />
  );
}

/** Contacts, all or those of a list or a segment. */
export function ContactList(props: {
  title: string;
  listId?: number;
  segmentId?: number;
  /** Columns in addition to the default ones. */
  more?: Column<Contact>[];
  bulk?: BulkAction<Contact>[];
  empty?: { title: string; text: string };
  create?: { path: string; text: string };
  embedded?: true;
}) {
  const { api, can } = useShop();
  const [tagging, setTagging] = useState<Tagging | null>(null);
  const [taggingAll, setTaggingAll] = useState<TaggingAll | null>(null);
  const { listId, segmentId } = props;
  const of = {
    ...(listId === undefined ? {} : { list_id: listId }),
    ...(segmentId === undefined ? {} : { segment_id: segmentId }),
  };
  const tag = (add: boolean): BulkAction<Contact> => ({
    text: t(add ? 'contact.tag_add' : 'contact.tag_remove'),
    icon: add ? 'plus' : 'x',
    run: (contacts, unselect) => setTagging({ add, contacts, unselect }),
    all: (filters, total, unselect) => setTaggingAll({ add, filters: { ...filters, ...of }, total, unselect }),
  });
  return (
    <>
      <List<Contact>
        name={['contacts', ...Object.entries(of).flat()].join('-')}
        title={props.title}
        {...(props.create === undefined ? {} : { create: props.create })}
        {...(props.embedded ? { embedded: true } : {})}
        bulk={[...(props.bulk ?? []), ...(can('marketing:write') ? [tag(true), tag(false)] : [])]}
        resource="contacts"
        asked={(query) => ({ ...query, ...of })}
        load={async (query, signal) => {
          const { contacts, pagination } = await ok(api.GET('/contacts', { params: { query }, signal }));
          return { rows: contacts, total: pagination.total };
        }}
        idOf={(contact) => contact.contact_id}
        path={(contact) => `contacts/${contact.contact_id}`}
        search={{ key: 'search', placeholder: t('contacts.search'), unsorted: true }}
        columns={[
          { key: 'name', title: t('field.name'), cell: nameOf, csv: nameOf },
          {
            key: 'email',
            title: t('field.email'),
            sort: sortBy('email'),
            cell: (contact) => contact.email,
            csv: (contact) => contact.email,
          },
          {
            key: 'status',
            title: t('field.status'),
            cell: (contact) => <Status value={shownStatus(contact)} />,
            csv: (contact) => contact.status,
          },
          {
            key: 'phone',
            title: t('field.phone'),
            wide: true,
            cell: (contact) => contact.phone,
            csv: (contact) => contact.phone,
          },
          {
            key: 'tags',
            title: t('contact.tags'),
            wide: true,
            cell: (contact) => contact.tags.join(', '),
            csv: (contact) => contact.tags.join(' '),
          },
          {
            key: 'last_activity',
            title: t('contact.last_activity'),
            sort: sortBy('last_activity'),
            wide: true,
            cell: (contact) => (contact.last_activity_at == null ? '–' : <Moment at={contact.last_activity_at} />),
            csv: (contact) => contact.last_activity_at ?? null,
          },
          {
            key: 'created_at',
            title: t('field.created'),
            sort: sortByAge(),
            wide: true,
            cell: (contact) => <Moment at={contact.created_at} />,
            csv: (contact) => contact.created_at,
          },
          ...(props.more ?? []),
        ]}
        filters={[
          {
            key: 'status',
            title: t('field.status'),
            type: 'choice',
            choices: STATUSES.map((value) => ({ value, label: tOf('contact.status', value) })),
          },
          { key: 'tag', title: t('contact.tag'), type: 'text' },
        ]}
        empty={{ icon: 'users', ...(props.empty ?? { title: t('contacts.empty'), text: t('contacts.empty.text') }) }}
      />
      {tagging === null ? null : <TagDialog {...tagging} onClose={() => setTagging(null)} />}
      {taggingAll === null ? null : <TagAllDialog {...taggingAll} onClose={() => setTaggingAll(null)} />}
    </>
  );
}
