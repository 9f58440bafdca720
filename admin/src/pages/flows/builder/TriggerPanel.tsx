import { NativeSelect, Switch, TextInput } from '@mantine/core';
import { t, tOf } from '../../../i18n/i18n.ts';
import { numberOf } from '../../../ui/form/numbers.ts';
import { type Draft, TRIGGER } from '../model/draft.ts';
import type { Problem } from '../model/problems.ts';
import { useChoices } from '../steps/choices.ts';
import { EventMatchesInput } from '../steps/EventMatchesInput.tsx';
import { RulesInput } from '../steps/RulesInput.tsx';
import css from './Builder.module.css';
import { TriggerWays } from './StepPanel.tsx';
import { settingsFor, TriggerSettings } from './TriggerSettings.tsx';
import { useBuilderContext } from './useBuilder.ts';

const MODES = ['always', 'once', 'cooldown'] as const;

/** Who enters the flow, and what ends a run at any step. */
export function TriggerPanel() {
  const builder = useBuilderContext();
  const { draft, problems, readOnly } = builder;
  const events = useChoices('event');
  const { reentry, quiet_hours: quiet } = draft;
  const set = (to: Partial<Omit<Draft, 'steps' | 'connections'>>, typing?: string): void =>
    void builder.run({ do: 'settings', to }, typing === undefined ? undefined : `${TRIGGER} ${typing}`);
  const own = problems.filter(({ id }) => id === TRIGGER);
  /** Errors of events are shown at the event. */
  const elsewhere = own.filter(({ path }) => !/^(goal|exit_on\.\d+)\./.test(path));
  const within = (prefix: string): Problem[] =>
    own
      .filter(({ path }) => path.startsWith(prefix))
      .map((problem) => ({ ...problem, path: problem.path.slice(prefix.length) }));
  return (
    <fieldset className={css.panelBody} disabled={readOnly}>
      {elsewhere.map(({ message }) => (
        <p key={message} role="alert" className={css.problem}>
          {message}
        </p>
      ))}
      <TextInput
        data-panel-first
        label={t('builder.flow_name')}
        required
        maxLength={255}
        value={draft.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value }, 'name')}
      />
      <NativeSelect
        label={t('flow.trigger')}
        value={draft.trigger_type}
        data={[
          ...(events.some(({ value }) => value === draft.trigger_type)
            ? []
            : [{ value: draft.trigger_type, label: tOf('event_type', draft.trigger_type) }]),
          ...events,
        ]}
        onChange={({ currentTarget: { value } }) => set({ trigger_type: value, trigger_settings: settingsFor(value) })}
      />
      <TriggerSettings
        triggerType={draft.trigger_type}
        settings={draft.trigger_settings ?? {}}
        onChange={(trigger_settings, typing) => set({ trigger_settings }, typing)}
      />
      <RulesInput
        label={t('builder.trigger_conditions')}
        error={undefined}
        eventType={draft.trigger_type}
        value={draft.trigger_conditions ?? undefined}
        onChange={(value) =>
          set({ trigger_conditions: (value ?? null) as Draft['trigger_conditions'] }, 'trigger_conditions')
        }
      />
      <NativeSelect
        label={t('flow.reentry')}
        value={reentry.mode}
        data={MODES.map((value) => ({ value, label: tOf('flow.reentry', value) }))}
        onChange={({ currentTarget }) => {
          const mode = currentTarget.value as (typeof MODES)[number];
          const { hours = 24, concurrent } = reentry;
          set({ reentry: mode === 'cooldown' ? { mode, hours, concurrent } : { mode, concurrent } });
        }}
      />
      {reentry.mode === 'cooldown' ? (
        <TextInput
          label={t('builder.cooldown')}
          inputMode="decimal"
          value={String(reentry.hours ?? '')}
          onChange={({ currentTarget }) =>
            set({ reentry: { ...reentry, hours: numberOf(currentTarget.value) as number } }, 'hours')
          }
        />
      ) : null}
      <Switch
        label={t('builder.concurrent')}
        checked={reentry.concurrent}
        onChange={({ currentTarget }) => set({ reentry: { ...reentry, concurrent: currentTarget.checked } })}
      />
      <EventMatchesInput
        label={t('flow.goal')}
        description={t('builder.goal.help')}
        value={draft.goal === null ? [] : [draft.goal]}
        most={1}
        problemsOf={() => within('goal.')}
        onChange={([goal = null]) => set({ goal }, 'goal')}
      />
      <EventMatchesInput
        label={t('builder.exit_on')}
        description={t('builder.exit_on.help')}
        value={draft.exit_on}
        most={20}
        problemsOf={(place) => within(`exit_on.${place}.`)}
        onChange={(exit_on) => set({ exit_on }, 'exit_on')}
      />
      <Switch
        label={t('flow.quiet_hours')}
        checked={quiet !== null}
        onChange={({ currentTarget }) =>
          set({ quiet_hours: currentTarget.checked ? { start: '21:00', end: '08:00', timezone: 'contact' } : null })
        }
      />
      {quiet === null ? null : (
        <div className={css.fields}>
          {(['start', 'end'] as const).map((edge) => (
            <div key={edge} data-half>
              <TextInput
                type="time"
                label={tOf('builder.quiet', edge)}
                value={quiet[edge]}
                onChange={({ currentTarget }) => set({ quiet_hours: { ...quiet, [edge]: currentTarget.value } }, edge)}
              />
            </div>
          ))}
        </div>
      )}
      <TriggerWays />
    </fieldset>
  );
}
