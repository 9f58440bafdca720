import { ok } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { LANGUAGES } from '../../i18n/catalogues.ts';
import { t, tOf } from '../../i18n/i18n.ts';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import { type FieldOf, type Values, wordsOf } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { useEveryList } from '../lists/queries.ts';
import { formFieldOf, lookGroup, lookValues, type Typed, withLook } from './look.tsx';
import { Questions, questionsOf } from './Questions.tsx';
import { type SignupForm, useForm } from './queries.ts';

const CHANNELS = ['email', 'sms'] as const;

function groups(lists: { list_id: number; name: string }[]): FieldGroup<Typed>[] {
  const onLists: FieldOf<Typed>[] =
    lists.length === 0
      ? []
      : [
          {
            name: 'list_ids',
            label: t('form.lists'),
            type: 'choices',
            bodyOf: (value) => wordsOf(String(value)).map(Number),
            choices: lists.map(({ list_id, name }) => ({ value: String(list_id), label: name })),
          },
        ];
  return [
    {
      title: t('section.details'),
      fields: [
        { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('form.name.help') },
        {
          name: 'language',
          label: t('form.language'),
          type: 'choice',
          choices: Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
        },
        ...onLists,
      ],
    },
    lookGroup(),
    {
      title: t('form.asked'),
      fields: [
        {
          name: 'fields',
          label: t('form.fields'),
          type: 'custom',
          custom: { Input: Questions, bodyOf: questionsOf },
        },
      ],
    },
    {
      title: t('form.consent'),
      fields: [
        {
          name: 'channels',
          label: t('form.channels'),
          type: 'choices',
          choices: CHANNELS.map((value) => ({ value, label: tOf('channel', value) })),
        },
        { name: 'consent_text', label: t('form.consent_text'), type: 'long', help: t('form.consent_text.help') },
        { name: 'double_opt_in', label: t('form.double_opt_in'), type: 'switch', help: t('form.double_opt_in.help') },
      ],
    },
    {
      title: t('form.after'),
      fields: [
        { name: 'success_text', label: t('form.success_text'), type: 'text' },
        { name: 'allowed_origins', label: t('form.origins'), type: 'words', help: t('form.origins.help') },
        { name: 'redirect_url', label: t('form.redirect_url'), type: 'url', help: t('form.redirect_url.help') },
      ],
    },
    {
      title: t('form.protection'),
      fields: [
        {
          name: 'min_fill_seconds',
          label: t('form.min_fill'),
          type: 'number',
          half: true,
          help: t('form.min_fill.help'),
        },
        { name: 'max_per_hour', label: t('form.max_per_hour'), type: 'number', half: true },
      ],
    },
  ];
}

/** The API's defaults. */
const EMPTY: Values = {
  name: '',
  language: 'en',
  list_ids: '',
  fields: '[]',
  channels: 'email',
  consent_text: '',
  double_opt_in: true,
  success_text: '',
  redirect_url: '',
  allowed_origins: '',
  min_fill_seconds: '2',
  max_per_hour: '500',
  ...lookValues(null),
};

export function CreatePage() {
  const { api } = useShop();
  const go = useGo();
  return (
    <>
      <PageHeader title={t('form.new')} back={{ path: 'forms', text: t('nav.forms') }} />
      <Loaded query={useEveryList()}>
        {(lists) => (
          <RecordForm
            draft="forms-new"
            groups={groups(lists)}
            initial={EMPTY}
            whole
            save={async (body) => {
              const { form_id } = await ok(api.POST('/forms', { body: withLook(body) }));
              return () => go(`forms/${form_id}`, { replace: true });
            }}
            done={{ text: t('form.created') }}
            cancel="forms"
            submit={t('action.create')}
            fieldOf={formFieldOf}
          />
        )}
      </Loaded>
    </>
  );
}

export function EditPage() {
  return <Loaded query={useForm(useId())}>{(form) => <Edit form={form} />}</Loaded>;
}

function Edit({ form }: { form: SignupForm }) {
  const { api } = useShop();
  const path = `forms/${form.form_id}`;
  const params = { path: { id: form.form_id } };
  return (
    <>
      <PageHeader title={t('form.edit', { name: form.name })} back={{ path, text: form.name }}>
        <DeleteButton
          name={form.name}
          text={t('form.delete.text')}
          list="forms"
          remove={() => ok(api.DELETE('/forms/{id}', { params }))}
        />
      </PageHeader>
      <Loaded query={useEveryList()}>
        {(lists) => (
          <RecordForm
            draft={path}
            groups={groups(lists)}
            initial={{
              name: form.name,
              language: form.language,
              double_opt_in: form.double_opt_in,
              consent_text: form.consent_text,
              fields: JSON.stringify(form.fields),
              list_ids: form.list_ids.join(','),
              channels: form.channels.join(','),
              success_text: form.success_text ?? '',
              redirect_url: form.redirect_url ?? '',
              ...lookValues(form.look),
              allowed_origins: form.allowed_origins.join('\n'),
              min_fill_seconds: String(form.min_fill_seconds),
              max_per_hour: String(form.max_per_hour),
            }}
            save={(body) => ok(api.PATCH('/forms/{id}', { params, body: withLook(body) }))}
            done={{ path, text: t('form.saved') }}
            cancel={path}
            submit={t('action.save')}
            fieldOf={formFieldOf}
          />
        )}
      </Loaded>
    </>
  );
}
