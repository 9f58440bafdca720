import { type BodyOf, dataOf } from '../../../api/client.ts';
import { useId } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { DeleteButton } from '../../../ui/DeleteButton.tsx';
import { Loaded } from '../../../ui/DetailPage.tsx';
import type { FieldOf } from '../../../ui/form/values.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../../ui/RecordForm.tsx';
import { type Frequency, useFrequency } from './queries.ts';
import { intervalText, UNITS, unitText } from './units.ts';

type Body = BodyOf<'/subscription-frequencies', 'post'>;

const LIST = 'subscriptions/frequencies';
const BACK = () => ({ path: LIST, text: t('frequency.title') });

/** The interval cannot be changed later: the dates of subscriptions depend on it. */
const intervalFields = (): FieldOf<Body>[] => [
  { name: 'interval', label: t('frequency.every'), type: 'number', required: true, half: true },
  {
    name: 'unit',
    label: t('frequency.unit'),
    type: 'choice',
    half: true,
    choices: UNITS.map((unit) => ({ value: unit, label: unitText(unit) })),
  },
];

const groups = (isNew: boolean): FieldGroup<Body>[] => [
  {
    title: t('section.details'),
    fields: [
      { name: 'name', label: t('field.name'), type: 'text', required: true },
      ...(isNew ? intervalFields() : []),
      { name: 'position', label: t('field.position'), type: 'number', half: true },
      { name: 'active', label: t('field.active'), type: 'switch', help: t('frequency.active.help') },
    ],
  },
];

export function CreatePage() {
  const { api } = useShop();
  return (
    <>
      <PageHeader title={t('frequency.new')} back={BACK()} />
      <RecordForm
        draft="frequencies-new"
        groups={groups(true)}
        initial={{ name: '', interval: '', unit: 'week', position: '', active: true }}
        whole
        save={(body) => dataOf(api.POST('/subscription-frequencies', { body }))}
        done={{ path: LIST, text: t('form.created') }}
        cancel={LIST}
        submit={t('action.create')}
      />
    </>
  );
}

export function EditPage() {
  return <Loaded query={useFrequency(useId())}>{(frequency) => <Edit frequency={frequency} />}</Loaded>;
}

function Edit({ frequency }: { frequency: Frequency }) {
  const { api, can } = useShop();
  const params = { path: { id: frequency.id } };
  const readOnly = !can('settings:write');
  const { name, position, active } = frequency;
  return (
    <>
      <PageHeader title={`${name} · ${intervalText(frequency)}`} back={BACK()}>
        {readOnly ? null : (
          <DeleteButton
            name={name}
            text={t('frequency.delete.text')}
            list={LIST}
            remove={() => dataOf(api.DELETE('/subscription-frequencies/{id}', { params }))}
          />
        )}
      </PageHeader>
      <RecordForm
        draft={`frequencies-${frequency.id}`}
        groups={groups(false)}
        readOnly={readOnly}
        initial={{ name, position: String(position), active }}
        save={(body) => dataOf(api.PATCH('/subscription-frequencies/{id}', { params, body }))}
        done={{ path: LIST, text: t('form.saved') }}
        cancel={LIST}
        submit={t('action.save')}
      />
    </>
  );
}
