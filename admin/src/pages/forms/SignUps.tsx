import { t } from '../../i18n/i18n.ts';
import { BarChart } from '../../ui/chart/BarChart.tsx';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { useDays } from './queries.ts';

/** The form's results by day. */
export function SignUps({ id }: { id: number }) {
  const format = useFormat();
  return (
    <Section title={t('form.days')}>
      <LoadedPart query={useDays(id)}>
        {({ days }) =>
          days.every(({ submissions, confirmed }) => submissions + confirmed === 0) ? (
            <p className="dim">{t('form.days.none')}</p>
          ) : (
            <BarChart
              caption={t('form.days')}
              names={{ column: t('field.day'), bars: t('form.submissions'), parts: t('form.confirmed') }}
              points={days.map(({ day, submissions, confirmed }) => ({
                key: day,
                name: format.day(day),
                value: submissions,
                part: confirmed,
              }))}
              text={format.number}
              currency={null}
            />
          )
        }
      </LoadedPart>
    </Section>
  );
}
