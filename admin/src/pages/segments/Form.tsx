import { type BodyOf, ok } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useOffer } from '../../rules/offer.ts';
import { RuleBuilder } from '../../rules/RuleBuilder.tsx';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded } from '../../ui/DetailPage.tsx';
import type { InputProps } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { LivePreview } from './LivePreview.tsx';
import { type Segment, useSegment } from './queries.ts';

/** The rules as the form keeps them: JSON. */
function Rules({ field, value, error, onChange }: InputProps) {
  const offer = useOffer();
  return (
    <RuleBuilder
      label={field.label}
      value={JSON.parse(String(value))}
      onChange={(next) => onChange(JSON.stringify(next))}
      subject="contact"
      offer={offer}
      errors={error === undefined ? [] : [{ field: field.name, message: error }]}
      strict={error !== undefined}
    />
  );
}

const groups = (): FieldGroup<BodyOf<'/segments', 'post'>>[] => [
  {
    title: t('section.details'),
    fields: [{ name: 'name', label: t('field.name'), type: 'text', required: true, help: t('segment.name.help') }],
  },
  {
    title: t('segment.rules'),
    fields: [
      {
        name: 'conditions',
        label: t('segment.rules'),
        type: 'custom',
        custom: { Input: Rules, bodyOf: (value) => JSON.parse(String(value)) },
      },
    ],
  },
];

const fieldOf = (name: string): string => (name.startsWith('conditions') ? 'conditions' : name);

export function CreatePage() {
  const { api } = useShop();
  const go = useGo();
  return (
    <>
      <PageHeader title={t('segment.new')} back={{ path: 'segments', text: t('nav.segments') }} />
      <RecordForm
        draft="segments-new"
        groups={groups()}
        initial={{ name: '', conditions: JSON.stringify({ operator: 'and', rules: [] }) }}
        whole
        save={async (body) => {
          const { segment_id } = await ok(api.POST('/segments', { body }));
          return () => go(`segments/${segment_id}`, { replace: true });
        }}
        done={{ text: t('form.created') }}
        cancel="segments"
        submit={t('action.create')}
        fieldOf={fieldOf}
      >
        {(values) => <LivePreview conditions={String(values.conditions)} />}
      </RecordForm>
    </>
  );
}

export function EditPage() {
  return <Loaded query={useSegment(useId())}>{(segment) => <Edit segment={segment} />}</Loaded>;
}

function Edit({ segment }: { segment: Segment }) {
  const { api } = useShop();
  const path = `segments/${segment.segment_id}`;
  const params = { path: { id: segment.segment_id } };
  return (
    <>
      <PageHeader title={t('form.edit', { name: segment.name })} back={{ path, text: segment.name }}>
        <DeleteButton
          name={segment.name}
          text={t('segment.delete.text')}
          list="segments"
          remove={() => ok(api.DELETE('/segments/{id}', { params }))}
        />
      </PageHeader>
      <RecordForm
        draft={path}
        groups={groups()}
        initial={{ name: segment.name, conditions: JSON.stringify(segment.conditions) }}
        save={(body) => ok(api.PATCH('/segments/{id}', { params, body }))}
        done={{ path, text: t('form.saved') }}
        cancel={path}
        submit={t('action.save')}
        fieldOf={fieldOf}
      >
        {(values) => <LivePreview conditions={String(values.conditions)} />}
      </RecordForm>
    </>
  );
}
