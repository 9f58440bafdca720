import { ActionIcon, Button, Input } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { DurationInput } from '../steps/DurationInput.tsx';
import { EVENT } from '../steps/forms.ts';
import { PairsInput } from '../steps/PairsInput.tsx';
import { StepInput } from '../steps/StepInput.tsx';
import steps from '../steps/steps.module.css';
import type { LaterEvent } from './later-events.ts';

/** The server's limit. */
const MOST = 100;

interface LaterEventsProps {
  events: readonly LaterEvent[];
  onChange(events: LaterEvent[]): void;
}

/** Events of the contact that arrive during the test run. */
export function LaterEvents({ events, onChange }: LaterEventsProps) {
  const set = (at: number, change: Partial<LaterEvent>): void =>
    onChange(events.map((one, i) => (i === at ? { ...one, ...change } : one)));
  return (
    <Input.Wrapper label={t('trial.events')} description={t('trial.events.help')} labelElement="div">
      <div className={steps.rows}>
        {events.map((one, i) => (
          <fieldset
            key={one.id}
            className={steps.event}
            aria-label={`${t('trial.events')} ${i + 1}: ${one.event_type}`}
          >
            <StepInput
              field={EVENT}
              value={one.event_type}
              error={undefined}
              eventType={one.event_type}
              errors={[]}
              onChange={(type) => set(i, { event_type: typeof type === 'string' ? type : '' })}
            />
            <DurationInput
              label={t('trial.after')}
              error={undefined}
              value={one.after}
              onChange={(after) => set(i, { after })}
            />
            <PairsInput
              label={t('trial.data')}
              error={undefined}
              value={one.event_data}
              onChange={(data) => set(i, { event_data: data })}
            />
            <ActionIcon
              className={steps.eventRemove ?? ''}
              variant="subtle"
              color="gray"
              aria-label={t('builder.remove_key', { key: one.event_type })}
              onClick={() => onChange(events.filter(({ id }) => id !== one.id))}
            >
              <Icon name="x" size={16} />
            </ActionIcon>
          </fieldset>
        ))}
        {events.length >= MOST ? null : (
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              onChange([
                ...events,
                {
                  id: Math.max(0, ...events.map(({ id }) => id)) + 1,
                  event_type: 'order_placed',
                  after: { value: 1, unit: 'hours' },
                },
              ])
            }
          >
            {t('trial.add_event')}
          </Button>
        )}
      </div>
    </Input.Wrapper>
  );
}
