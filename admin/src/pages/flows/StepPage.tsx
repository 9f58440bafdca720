import '../templates/texts.ts';
import { useParams } from '@tanstack/react-router';
import { ok } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import type { Over } from '../../ui/form/contested.ts';
import type { Field, Values } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RecordForm } from '../../ui/RecordForm.tsx';
import { NotFound } from '../../ui/states.tsx';
import { preview } from '../templates/Form.tsx';
import { type Flow, type Step, useFlow } from './queries.ts';

const UNITS = ['minutes', 'hours', 'days', 'weeks'] as const;

/** The fields of a step that can be changed here; for other types only its name. */
function fieldsOf(type: Step['type']): Field[] {
  switch (type) {
    case 'send_email':
      return [
        { name: 'subject', label: t('template.subject'), type: 'text', required: true },
        { name: 'preview_text', label: t('template.preview_text'), type: 'text' },
        { name: 'from', label: t('campaign.from'), type: 'text', help: t('campaign.from.help') },
        { name: 'content', label: t('template.content'), type: 'code', help: t('template.content.help') },
        { name: 'transactional', label: t('flow.transactional'), type: 'switch', help: t('flow.transactional.help') },
      ];
    case 'send_sms':
      return [
        { name: 'content', label: t('template.content'), type: 'long', required: true },
        { name: 'transactional', label: t('flow.transactional'), type: 'switch', help: t('flow.transactional.help') },
      ];
    case 'delay':
      return [
        { name: 'value', label: t('flow.duration'), type: 'number', required: true, half: true },
        {
          name: 'unit',
          label: t('flow.unit'),
          type: 'choice',
          half: true,
          choices: UNITS.map((value) => ({ value, label: tOf('flow.unit', value) })),
        },
      ];
    case 'add_tag':
    case 'remove_tag':
      return [{ name: 'tag', label: t('contact.tag'), type: 'text', required: true }];
    case 'notify':
      return [{ name: 'message', label: t('flow.message'), type: 'long', required: true }];
    case 'webhook':
      return [{ name: 'url', label: t('webhooks.url'), type: 'url', required: true }];
    case 'track_event':
      return [{ name: 'event_type', label: t('flow.event_type'), type: 'text', required: true }];
    default:
      return [];
  }
}

export function StepPage() {
  const { step: stepId } = useParams({ strict: false }) as { step: string };
  return (
    <Loaded query={useFlow(useId())}>
      {(flow) => {
        const step = flow.steps.find(({ step_id }) => step_id === stepId);
        return step === undefined ? <NotFound /> : <Edit flow={flow} step={step} />;
      }}
    </Loaded>
  );
}

const configOf = ({ config }: Pick<Step, 'config'>) => (config ?? {}) as Record<string, unknown>;

function Edit({ flow, step }: { flow: Flow; step: Step }) {
  const { api, can } = useShop();
  const path = `flows/${flow.flow_id}`;
  const config = configOf(step);
  const own = fieldsOf(step.type);
  const params = { path: { id: flow.flow_id } };
  const valuesOf = (one: Step): Values => {
    const values: Values = { name: one.name ?? '' };
    for (const { name, type } of own)
      values[name] = type === 'switch' ? configOf(one)[name] === true : String(configOf(one)[name] ?? '');
    return values;
  };
  /** The flow that a save replaces: its other steps stay as they are stored. */
  let stored = flow;
  const storedStep = (): Step => {
    const found = stored.steps.find(({ step_id, type }) => step_id === step.step_id && type === step.type);
    if (found === undefined) throw new ApiError(404, 'not_found', t('error.not_found.title'));
    return found;
  };
  const save = (body: Record<string, unknown>, _values: Values, headers: Over) => {
    const { name: old, ...rest } = storedStep();
    const { name = old, ...changed } = body;
    const next = Object.fromEntries(
      Object.entries({ ...configOf(rest), ...changed }).filter(([, value]) => value !== null && value !== ''),
    );
    const edited = { ...rest, ...(name ? { name } : {}), config: next } as Step;
    const steps = stored.steps.map((one) => (one.step_id === step.step_id ? edited : one));
    return ok(api.PATCH('/flows/{id}', { params, headers, body: { steps } }));
  };
  const isMessage = step.type === 'send_email' || step.type === 'send_sms';
  return (
    <>
      <PageHeader title={step.name || tOf('flow.step', step.type)} back={{ path, text: flow.name }} />
      <RecordForm
        draft={`${path}-${step.step_id}`}
        groups={[
          {
            title: tOf('flow.step', step.type),
            fields: [{ name: 'name', label: t('field.name'), type: 'text' }, ...own],
          },
        ]}
        readOnly={!can('marketing:write')}
        initial={valuesOf(step)}
        theirs={async () => {
          stored = await ok(api.GET('/flows/{id}', { params }));
          return { values: valuesOf(storedStep()), revision: stored.revision };
        }}
        save={save}
        done={{ path, text: flow.status === 'active' ? t('flow.saved_version') : t('form.saved') }}
        cancel={path}
        submit={t('action.save')}
      >
        {isMessage && config.template_id === undefined
          ? (values) => preview({ ...values, channel: step.type === 'send_sms' ? 'sms' : 'email' })
          : undefined}
      </RecordForm>
    </>
  );
}
