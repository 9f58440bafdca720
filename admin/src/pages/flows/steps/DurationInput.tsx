import { Input, NativeSelect, TextInput } from '@mantine/core';
import { t, tOf } from '../../../i18n/i18n.ts';
import { numberOf } from '../../../ui/form/numbers.ts';
import type { PartProps } from './part.ts';
import css from './steps.module.css';

export const UNITS = ['minutes', 'hours', 'days', 'weeks'];

/** A number with its unit; an empty number means no duration. */
export function DurationInput({ label, description, error, value, onChange }: PartProps) {
  const { value: amount, unit = 'days' } = (value ?? {}) as { value?: unknown; unit?: string };
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      <div className={css.pair}>
        <TextInput
          aria-label={`${label}: ${t('field.number')}`}
          inputMode="decimal"
          value={amount === undefined ? '' : String(amount)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === '' ? undefined : { value: numberOf(currentTarget.value), unit })
          }
        />
        <NativeSelect
          aria-label={`${label}: ${t('flow.unit')}`}
          value={unit}
          data={UNITS.map((one) => ({ value: one, label: tOf('flow.unit', one) }))}
          onChange={({ currentTarget }) => onChange({ value: amount ?? 1, unit: currentTarget.value })}
        />
      </div>
    </Input.Wrapper>
  );
}
