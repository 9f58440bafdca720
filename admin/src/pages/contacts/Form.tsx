import { type BodyOf, ok } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import type { Values } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { type Contact, nameOf, useContact } from './queries.ts';

type ContactBody = BodyOf<'/contacts', 'post'>;
/** The body with the property that the form shows as a field. */
type Typed = ContactBody & { timezone?: string | null };

const TEXTS = ['email', 'first_name', 'last_name', 'phone', 'external_id', 'source'] as const;

const zoneOf = ({ properties }: Contact): string => String(properties.timezone ?? properties.time_zone ?? '');

const groups = (): FieldGroup<Typed>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'email', label: t('field.email'), type: 'email' },
      { name: 'first_name', label: t('field.first_name'), type: 'text', half: true },
      { name: 'last_name', label: t('field.last_name'), type: 'text', half: true },
      { name: 'phone', label: t('field.phone'), type: 'text', half: true },
      { name: 'external_id', label: t('field.external_id'), type: 'text', half: true },
      { name: 'tags', label: t('contact.tags'), type: 'words', help: t('contact.tags.help') },
      { name: 'source', label: t('contact.source'), type: 'text', half: true },
      {
        name: 'timezone',
        label: t('contact.time_zone'),
        type: 'pick',
        places: 'zone',
        help: t('contact.time_zone.help'),
        half: true,
      },
    ],
  },
];

/** The shown tags are all tags of the contact, and the shown zone replaces both properties that may have one. */
function bodyOf({ timezone, ...body }: Typed): ContactBody {
  if ('tags' in body) body.tags_mode = 'replace';
  if (timezone !== undefined) body.properties = { timezone, time_zone: null };
  return body;
}

const EMPTY: Values = { ...Object.fromEntries(TEXTS.map((name) => [name, ''])), tags: '', timezone: '' };

export function CreatePage() {
  const { api } = useShop();
  const go = useGo();
  return (
    <>
      <PageHeader title={t('contact.new')} back={{ path: 'contacts', text: t('nav.contacts') }} />
      <RecordForm
        draft="contacts-new"
        groups={groups()}
        initial={EMPTY}
        whole
        save={async (body) => {
          const { contact_id } = await ok(api.POST('/contacts', { body: bodyOf(body) }));
          return () => go(`contacts/${contact_id}`, { replace: true });
        }}
        done={{ text: t('form.created') }}
        cancel="contacts"
        submit={t('action.create')}
      >
        <p className="dim">{t('contact.new.text')}</p>
      </RecordForm>
    </>
  );
}

export function EditPage() {
  return <Loaded query={useContact(useId())}>{(contact) => <Edit contact={contact} />}</Loaded>;
}

function Edit({ contact }: { contact: Contact }) {
  const { api } = useShop();
  const path = `contacts/${contact.contact_id}`;
  return (
    <>
      <PageHeader title={t('form.edit', { name: nameOf(contact) })} back={{ path, text: nameOf(contact) }} />
      <RecordForm
        draft={path}
        groups={groups()}
        initial={{
          ...Object.fromEntries(TEXTS.map((name) => [name, contact[name] ?? ''])),
          tags: contact.tags.join(', '),
          timezone: zoneOf(contact),
        }}
        save={(body) =>
          ok(api.PATCH('/contacts/{id}', { params: { path: { id: contact.contact_id } }, body: bodyOf(body) }))
        }
        done={{ path, text: t('form.saved') }}
        cancel={path}
        submit={t('action.save')}
      />
    </>
  );
}
