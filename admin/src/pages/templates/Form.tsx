import './texts.ts';
import { Button } from '@mantine/core';
import { ok } from '../../api/client.ts';
import { useGo, useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { wayBack } from '../../app/way-back.ts';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import type { FieldOf, Values } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { LivePreview } from './LivePreview.tsx';
import type { Template, TemplateBody } from './queries.ts';

const isEmail = (values: Values): boolean => values.channel === 'email';

/** Subject, preview text and content, for templates and campaigns. */
export const contentFields = (
  when: (values: Values) => boolean = () => true,
): FieldOf<Pick<TemplateBody, 'subject' | 'preview_text' | 'content'>>[] => [
  {
    name: 'subject',
    label: t('template.subject'),
    type: 'text',
    when: (values) => isEmail(values) && when(values),
  },
  {
    name: 'preview_text',
    label: t('template.preview_text'),
    type: 'text',
    help: t('template.preview_text.help'),
    when: (values) => isEmail(values) && when(values),
  },
  { name: 'content', label: t('template.content'), type: 'code', help: t('template.content.help'), when },
];

export const channelField = (): FieldOf<Pick<TemplateBody, 'channel'>> => ({
  name: 'channel',
  label: t('template.channel'),
  type: 'choice',
  choices: ['email', 'sms'].map((value) => ({ value, label: tOf('channel', value) })),
});

const groups = (isNew: boolean): FieldGroup<TemplateBody>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true },
      ...(isNew ? [channelField()] : []),
      ...contentFields(),
    ],
  },
];

/** The preview of what is typed. */
export function preview(values: Values) {
  const text = (name: string): string => String(values[name] ?? '');
  const channel = values.channel === 'sms' ? 'sms' : 'email';
  const written = { channel, content: text('content') } as const;
  return <LivePreview written={{ ...written, subject: text('subject'), preview_text: text('preview_text') }} />;
}

const EMPTY: Values = { name: '', channel: 'email', subject: '', preview_text: '', content: '' };

export function CreatePage() {
  const { api } = useShop();
  const go = useGo();
  return (
    <>
      <PageHeader title={t('template.new')} back={{ path: 'templates', text: t('nav.templates') }}>
        <Button component={Anchor} path="templates/new/blocks" variant="default">
          {t('template.new.blocks')}
        </Button>
      </PageHeader>
      <RecordForm
        draft="templates-new"
        groups={groups(true)}
        initial={EMPTY}
        whole
        save={async (body) => {
          const { template_id } = await ok(api.POST('/templates', { body }));
          return () => go(`templates/${template_id}`, { replace: true });
        }}
        done={{ text: t('form.created') }}
        cancel="templates"
        submit={t('action.create')}
      >
        {preview}
      </RecordForm>
    </>
  );
}

function valuesOf({ name, channel, subject, preview_text, content }: Template): Values {
  return { name, channel, subject: subject ?? '', preview_text: preview_text ?? '', content };
}

export function Edit({ template }: { template: Template }) {
  const { api, can } = useShop();
  const params = { path: { id: template.template_id } };
  const readOnly = !can('marketing:write');
  const { name } = template;
  const [search] = useSearchValues();
  const back = wayBack(search.return);
  return (
    <>
      <PageHeader
        title={name}
        back={back === null ? { path: 'templates', text: t('nav.templates') } : { path: back, text: t('editor.back') }}
      >
        {readOnly ? null : (
          <DeleteButton
            name={name}
            text={t('template.delete.text')}
            list="templates"
            remove={() => ok(api.DELETE('/templates/{id}', { params }))}
          />
        )}
      </PageHeader>
      <RecordForm
        draft={`templates-${template.template_id}`}
        groups={groups(false)}
        readOnly={readOnly}
        initial={valuesOf(template)}
        theirs={async () => {
          const stored = await ok(api.GET('/templates/{id}', { params }));
          return { values: valuesOf(stored), revision: stored.revision };
        }}
        save={(body, _values, headers) => ok(api.PATCH('/templates/{id}', { params, headers, body }))}
        done={{ text: t('form.saved'), ...(back === null ? {} : { path: back }) }}
        cancel={back ?? 'templates'}
        submit={t(back === null ? 'action.save' : 'editor.save_and_return')}
      >
        {preview}
      </RecordForm>
    </>
  );
}
