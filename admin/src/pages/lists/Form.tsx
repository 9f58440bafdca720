import { type BodyOf, ok } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { type ContactList, useList } from './queries.ts';

const groups = (): FieldGroup<BodyOf<'/lists', 'post'>>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true },
      { name: 'description', label: t('field.description'), type: 'long' },
      { name: 'double_opt_in', label: t('list.double_opt_in'), type: 'switch', help: t('list.double_opt_in.help') },
      { name: 'internal', label: t('list.internal'), type: 'switch', help: t('list.internal.help') },
    ],
  },
];

export function CreatePage() {
  const { api } = useShop();
  const go = useGo();
  return (
    <>
      <PageHeader title={t('list.new')} back={{ path: 'lists', text: t('nav.lists') }} />
      <RecordForm
        draft="lists-new"
        groups={groups()}
        initial={{ name: '', description: '', double_opt_in: false, internal: false }}
        whole
        save={async (body) => {
          const { list_id } = await ok(api.POST('/lists', { body }));
          return () => go(`lists/${list_id}`, { replace: true });
        }}
        done={{ text: t('form.created') }}
        cancel="lists"
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={useList(useId())}>{(list) => <Edit list={list} />}</Loaded>;
}

function Edit({ list }: { list: ContactList }) {
  const { api } = useShop();
  const path = `lists/${list.list_id}`;
  const params = { path: { id: list.list_id } };
  return (
    <>
      <PageHeader title={t('form.edit', { name: list.name })} back={{ path, text: list.name }}>
        <DeleteButton
          name={list.name}
          text={t('list.delete.text')}
          list="lists"
          remove={() => ok(api.DELETE('/lists/{id}', { params }))}
        />
      </PageHeader>
      <RecordForm
        draft={path}
        groups={groups()}
        initial={{
          name: list.name,
          description: list.description,
          double_opt_in: list.double_opt_in,
          internal: list.internal,
        }}
        save={(body) => ok(api.PATCH('/lists/{id}', { params, body }))}
        done={{ path, text: t('form.saved') }}
        cancel={path}
        submit={t('action.save')}
      />
    </>
  );
}
