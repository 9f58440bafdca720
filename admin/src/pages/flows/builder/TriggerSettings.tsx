import { NativeSelect, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { t, tOf } from '../../../i18n/i18n.ts';
import { useCustomFields } from '../../custom-fields/queries.ts';
import type { Draft } from '../model/draft.ts';
import { useChoices } from '../steps/choices.ts';
import css from './Builder.module.css';

export type Settings = NonNullable<Draft['trigger_settings']>;

interface TriggerSettingsProps {
  triggerType: string;
  settings: Settings;
  /** `typing` names the field, so that what is typed into it is undone as one. */
  onChange(settings: Settings, typing?: string): void;
}

const PROPERTY = 'contact.properties.';
const CREATED = 'contact.created_at';
const SIDES = ['before', 'on', 'after'] as const;
type Side = (typeof SIDES)[number];

/** Returns what a trigger begins with when it is chosen. */
export function settingsFor(triggerType: string): Settings | null {
  return triggerType === 'date_reached'
    ? { date_field: `${PROPERTY}birthday`, days: 0, time: '09:00', yearly: true }
    : null;
}

/** What some triggers need beyond conditions: the date or the segment that is waited for. */
export function TriggerSettings(props: TriggerSettingsProps) {
  switch (props.triggerType) {
    case 'date_reached':
      return <DateSettings {...props} />;
    case 'segment_joined':
      return <SegmentSettings {...props} />;
    default:
      return null;
  }
}

function SegmentSettings({ settings, onChange }: TriggerSettingsProps) {
  const segments = useChoices('segment');
  const value = settings.segment_id === undefined ? '' : String(settings.segment_id);
  const known = value === '' || segments.some((one) => one.value === value);
  return (
    <NativeSelect
      label={t('builder.segment')}
      description={t('builder.segment.help')}
      required
      value={value}
      data={[{ value: '', label: '' }, ...(known ? [] : [{ value, label: value }]), ...segments]}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? {} : { segment_id: Number(currentTarget.value) })
      }
    />
  );
}

function DateSettings({ settings, onChange }: TriggerSettingsProps) {
  const { data: customFields = [] } = useCustomFields('customer');
  const { date_field: field = PROPERTY, days = 0, time = '00:00', yearly = false } = settings;
  const set = (to: Settings, typing?: string): void => onChange({ ...settings, ...to }, typing);
  const isProperty = field.startsWith(PROPERTY);
  const own = customFields
    .filter(({ type }) => type === 'date' || type === 'moment')
    .map(({ key, name }) => ({ value: `contact.custom.${key}`, label: name }));
  const source = isProperty ? PROPERTY : field;
  const choices = [
    { value: PROPERTY, label: t('builder.date.property') },
    { value: CREATED, label: t('builder.date.created') },
    ...own,
  ];
  const known = choices.some(({ value }) => value === source);
  const side: Side = days === 0 ? 'on' : days < 0 ? 'before' : 'after';
  return (
    <div className={css.fields}>
      <div data-half>
        <NativeSelect
          label={t('builder.date.field')}
          value={source}
          data={known ? choices : [...choices, { value: source, label: source }]}
          onChange={({ currentTarget: { value } }) =>
            set({ date_field: value === PROPERTY ? `${PROPERTY}birthday` : value })
          }
        />
      </div>
      <div data-half>
        {isProperty ? (
          <TextInput
            label={t('builder.date.name')}
            required
            maxLength={180}
            value={field.slice(PROPERTY.length)}
            onChange={({ currentTarget: { value } }) => set({ date_field: `${PROPERTY}${value}` }, 'date_field')}
          />
        ) : null}
      </div>
      <div data-half>
        <NativeSelect
          label={t('builder.date.when')}
          value={side}
          data={SIDES.map((value) => ({ value, label: tOf('builder.date', value) }))}
          onChange={({ currentTarget: { value } }) => {
            const distance = Math.abs(days) || 1;
            set({ days: value === 'on' ? 0 : value === 'before' ? -distance : distance });
          }}
        />
      </div>
      <div data-half>
        {side === 'on' ? null : (
          <DaysInput
            days={Math.abs(days)}
            onChange={(distance) => set({ days: side === 'before' ? -distance : distance }, 'days')}
          />
        )}
      </div>
      <TextInput
        type="time"
        label={t('builder.date.time')}
        description={t('builder.date.time.help')}
        value={time}
        onChange={({ currentTarget: { value } }) => set({ time: value === '' ? '00:00' : value }, 'time')}
      />
      <Switch
        label={t('builder.yearly')}
        description={t('builder.yearly.help')}
        checked={yearly}
        onChange={({ currentTarget }) => set({ yearly: currentTarget.checked })}
      />
    </div>
  );
}

/** A number from 1 to 365. What is not one stays in the field only while it is empty. */
function DaysInput({ days, onChange }: { days: number; onChange(days: number): void }) {
  const [isEmpty, setEmpty] = useState(false);
  return (
    <TextInput
      label={t('builder.date.days')}
      inputMode="numeric"
      value={isEmpty ? '' : String(days)}
      onBlur={() => setEmpty(false)}
      onChange={({ currentTarget: { value } }) => {
        setEmpty(value === '');
        if (/^[1-9][0-9]{0,2}$/.test(value) && Number(value) <= 365) onChange(Number(value));
      }}
    />
  );
}
