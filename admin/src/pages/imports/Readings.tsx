import { NativeSelect } from '@mantine/core';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Pick } from '../../ui/pick/Pick.tsx';
import { usePlaces } from '../../ui/pick/places.ts';
import { fieldText, type Import } from './queries.ts';

type Options = Import['options'];
type Reading = Import['readings'][number];
/** The options that say how dates and numbers are parsed. */
export type Chosen = Pick<Options, 'date_order' | 'decimal_separator' | 'time_zone'>;

const CHOICES = {
  date_order: ['day_first', 'month_first'],
  decimal_separator: ['point', 'comma'],
} as const;

export function chosenOf({ date_order, decimal_separator, time_zone }: Options): Chosen {
  return {
    ...(date_order === undefined ? {} : { date_order }),
    ...(decimal_separator === undefined ? {} : { decimal_separator }),
    ...(time_zone === undefined ? {} : { time_zone }),
  };
}

/** How dates and numbers are parsed; by default their own values decide. */
export function ReadingChoices({ chosen, onChange }: { chosen: Chosen; onChange: (next: Chosen) => void }) {
  const { company } = useShop();
  const change = (name: keyof Chosen, value: string): void => {
    const { [name]: _, ...others } = chosen;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  return (
    <>
      {(['date_order', 'decimal_separator'] as const).map((name) => (
        <NativeSelect
          key={name}
          label={t(`imports.${name}`)}
          value={chosen[name] ?? ''}
          onChange={(event) => change(name, event.currentTarget.value)}
          data={[
            { value: '', label: t('imports.reading.found') },
            ...CHOICES[name].map((value) => ({ value, label: tOf('imports.reading', value) })),
          ]}
        />
      ))}
      <Pick
        label={t('imports.time_zone')}
        choices={usePlaces('zone')}
        description={t('imports.time_zone.help')}
        placeholder={company.time_zone}
        value={chosen.time_zone ?? ''}
        onChange={(zone) => change('time_zone', zone)}
      />
    </>
  );
}

/** What the check found about them, and what could be parsed differently. */
export function Readings({ readings }: { readings: Reading[] }) {
  if (readings.length === 0) return null;
  return (
    <Section flush title={t('imports.readings')}>
      <SmallTable<Reading>
        caption={t('imports.readings')}
        rows={readings}
        keyOf={({ kind, field }) => `${kind} ${field}`}
        empty=""
        columns={[
          { title: t('imports.column_name'), cell: ({ column, field }) => column ?? fieldText(field) },
          {
            title: t('imports.reading'),
            cell: ({ kind, value }) => (kind === 'time_zone' ? value : tOf('imports.reading', value)),
          },
          { title: t('imports.reading.why'), wide: true, cell: whyOf },
        ]}
      />
    </Section>
  );
}

function whyOf({ decided_by, example }: Reading): string {
  return decided_by === 'default' && example !== null
    ? t('imports.reading.open', { example })
    : tOf('imports.reading.by', decided_by);
}
