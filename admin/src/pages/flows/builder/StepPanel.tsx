import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { t, tOf } from '../../../i18n/i18n.ts';
import { preview } from '../../templates/Form.tsx';
import { branchesOf, type Step, TRIGGER, targetOf, waysOf } from '../model/draft.ts';
import { whyNotConnect } from '../model/loops.ts';
import { FORMS, type StepField } from '../steps/forms.ts';
import { StepEmail } from '../steps/StepEmail.tsx';
import { StepInput } from '../steps/StepInput.tsx';
import css from './Builder.module.css';
import { useBuilderContext } from './useBuilder.ts';

/** Everything about one step: its name, its configuration, where its branches lead, a comment. */
export function StepPanel({ step }: { step: Step }) {
  const builder = useBuilderContext();
  const { draft, problems, readOnly } = builder;
  const id = step.step_id;
  const config = (step.config ?? {}) as Record<string, unknown>;
  const own = problems.filter((problem) => problem.id === id);
  const change = (to: { name?: string; comment?: string; config?: object }, typing: string): void =>
    void builder.run({ do: 'change', id, to }, `${id} ${typing}`);
  const setField = (name: string, value: unknown): void => {
    const { [name]: _, ...rest } = config;
    change({ config: value === undefined ? rest : { ...rest, [name]: value } }, name);
  };
  const fields: readonly StepField[] = FORMS[step.type];
  const shown = fields.filter((field) => field.when?.(config) ?? true);
  const errorOf = (name: string): string | undefined =>
    own.find(({ path }) => path === `config.${name}` || path.startsWith(`config.${name}.`))?.message;
  const elsewhere = own.filter(({ path }) => !shown.some(({ name }) => path.startsWith(`config.${name}`)));
  return (
    <fieldset className={css.panelBody} disabled={readOnly}>
      {elsewhere.map(({ message }) => (
        <p key={message} role="alert" className={css.problem}>
          {message}
        </p>
      ))}
      <TextInput
        data-panel-first
        label={t('field.name')}
        placeholder={tOf('flow.step', step.type)}
        maxLength={255}
        value={step.name ?? ''}
        onChange={({ currentTarget }) => change({ name: currentTarget.value }, 'name')}
      />
      <div className={css.fields}>
        {shown.map((field) => (
          <div key={`${id} ${field.name}`} data-half={field.half}>
            <StepInput
              field={field}
              value={config[field.name]}
              error={errorOf(field.name)}
              eventType={eventOf(step, draft.trigger_type)}
              errors={own
                .filter(({ path }) => path.startsWith(`config.${field.name}.`))
                .map(({ path, message }) => ({ field: path, message }))}
              onChange={(value) => setField(field.name, value)}
            />
          </div>
        ))}
      </div>
      {step.type === 'send_email' ? <StepEmail step={step} /> : null}
      <StepPreview step={step} />
      <Ways id={id} branches={branchesOf(step)} />
      <Textarea
        label={t('builder.comment')}
        description={t('builder.comment.help')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={2_000}
        value={step.comment ?? ''}
        onChange={({ currentTarget }) => change({ comment: currentTarget.value }, 'comment')}
      />
      <p className="dim break">
        {t('builder.step_id')}: <code>{id}</code>
      </p>
    </fieldset>
  );
}

/** The event that a step's conditions refer to: the one it waits for, else the one that started the run. */
function eventOf(step: Step, trigger: string): string | null {
  if (step.type === 'wait_for_event' || step.type === 'goal') return step.config?.event_type ?? null;
  return trigger;
}

function StepPreview({ step }: { step: Step }) {
  if (step.type !== 'send_email' && step.type !== 'send_sms') return null;
  const { content, template_id: template, ...rest } = { ...step.config } as Record<string, string | undefined>;
  if (!content || template !== undefined) return null;
  const channel = step.type === 'send_sms' ? 'sms' : 'email';
  return preview({ channel, content, subject: rest.subject ?? '', preview_text: rest.preview_text ?? '' });
}

/** The target of each branch: connects steps without a mouse. */
export function Ways({ id, branches }: { id: string; branches: readonly string[] }) {
  const builder = useBuilderContext();
  const { draft, readOnly } = builder;
  if (branches.length === 0) return null;
  const targets = draft.steps.map((step) => {
    return { value: step.step_id, label: `${step.name || tOf('flow.step', step.type)} (${step.step_id})` };
  });
  return (
    <div className={css.ways}>
      <h3>{t('builder.ways')}</h3>
      {branches.map((branch) => {
        const on = { from: id, branch };
        const to = targetOf(draft, id, branch);
        const rest = { ...draft, connections: draft.connections.filter((one) => one.from !== id) };
        return (
          <div key={branch} className={css.wayRow}>
            <NativeSelect
              label={branches.length === 1 ? t('builder.next') : branch}
              value={to ?? ''}
              data={[
                { value: '', label: t('builder.ends') },
                ...targets.filter(({ value }) => value === to || whyNotConnect(rest, id, value) === null),
              ]}
              onChange={({ currentTarget: { value } }) =>
                builder.run(value === '' ? { do: 'disconnect', on } : { do: 'connect', on, to: value })
              }
            />
            {readOnly ? null : (
              <Button size="xs" variant="default" onClick={() => builder.pick(on)}>
                {t('builder.add_here')}
              </Button>
            )}
          </div>
        );
      })}
    </div>
  );
}

/** The branches of the trigger. */
export function TriggerWays() {
  const { draft } = useBuilderContext();
  return <Ways id={TRIGGER} branches={waysOf(draft, TRIGGER)} />;
}
