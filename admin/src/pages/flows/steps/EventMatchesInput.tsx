import { ActionIcon, Button, Input } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { Icon } from '../../../ui/Icon.tsx';
import type { Draft } from '../model/draft.ts';
import type { Problem } from '../model/problems.ts';
import { FORMS } from './forms.ts';
import { StepInput } from './StepInput.tsx';
import css from './steps.module.css';

type EventMatch = NonNullable<Draft['goal']>;

interface EventMatchesProps {
  label: string;
  description: string;
  value: readonly EventMatch[];
  most: number;
  /** Errors of the event at this index, by the fields within it. */
  problemsOf(place: number): Problem[];
  onChange(value: EventMatch[]): void;
}

/** Events that a run reacts to at any step, each edited like a goal step's own event. */
export function EventMatchesInput({ label, description, value, most, problemsOf, onChange }: EventMatchesProps) {
  const set = (at: number, name: string, to: unknown): void =>
    onChange(value.map((one, i) => (i === at ? changed(one, name, to) : one)));
  return (
    <Input.Wrapper label={label} description={description} labelElement="div">
      <div className={css.rows}>
        {value.map((one, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no name of their own, and their order says nothing
          <fieldset key={i} className={css.event} aria-label={`${label} ${i + 1}: ${one.event_type}`}>
            {FORMS.goal.map((field) => (
              <StepInput
                key={field.name}
                field={field}
                value={one[field.name]}
                error={
                  problemsOf(i).find(({ path }) => path === field.name || path.startsWith(`${field.name}.`))?.message
                }
                eventType={one.event_type}
                errors={problemsOf(i).map(({ path, message }) => ({ field: path, message }))}
                onChange={(to) => set(i, field.name, to)}
              />
            ))}
            <ActionIcon
              className={css.eventRemove ?? ''}
              variant="subtle"
              color="gray"
              aria-label={t('builder.remove_key', { key: one.event_type })}
              onClick={() => onChange(value.filter((_, at) => at !== i))}
            >
              <Icon name="x" size={16} />
            </ActionIcon>
          </fieldset>
        ))}
        {value.length >= most ? null : (
          <Button size="xs" variant="default" onClick={() => onChange([...value, { event_type: 'order_placed' }])}>
            {t('builder.add_event', { label })}
          </Button>
        )}
      </div>
    </Input.Wrapper>
  );
}

/** undefined removes the field. */
function changed(match: EventMatch, name: string, to: unknown): EventMatch {
  const { [name as keyof EventMatch]: _, ...rest } = match;
  return (to === undefined ? rest : { ...match, [name]: to }) as EventMatch;
}
