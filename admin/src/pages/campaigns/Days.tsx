import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { language, t } from '../../i18n/i18n.ts';
import { BarChart } from '../../ui/chart/BarChart.tsx';
import { Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { everyDay } from './days.ts';

type Day = ResponseOf<'/campaigns/{id}/report'>['days'][number];

const MEASURES = ['sent', 'opened', 'clicked', 'converted', 'revenue', 'net', 'unsubscribed', 'bounced'] as const;
type Measure = (typeof MEASURES)[number];

const NOTHING: Omit<Day, 'date'> = {
  sent: 0,
  opened: 0,
  machine_opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  converted: 0,
  revenue: 0,
  refunded: 0,
  net: 0,
};

/** What happened on each day since the campaign was sent, by one figure. */
export function Days({ days }: { days: Day[] }) {
  const { company } = useShop();
  const format = useFormat();
  const [measure, setMeasure] = useState<Measure>('clicked');
  if (days.length === 0) return null;
  const isMoney = measure === 'revenue' || measure === 'net';
  const name = new Intl.DateTimeFormat(language(), { day: 'numeric', month: 'short', timeZone: 'UTC' });
  return (
    <Section
      title={t('campaign.days')}
      actions={
        <NativeSelect
          size="xs"
          aria-label={t('campaign.days.measure')}
          value={measure}
          data={MEASURES.map((value) => ({ value, label: t(`campaign.${value}`) }))}
          onChange={({ currentTarget }) => setMeasure(currentTarget.value as Measure)}
        />
      }
    >
      <BarChart
        caption={t('campaign.days')}
        names={{ column: t('campaign.day'), bars: t(`campaign.${measure}`) }}
        points={everyDay(days, (date) => ({ date, ...NOTHING })).map((day) => ({
          key: day.date,
          name: name.format(new Date(day.date)),
          value: day[measure],
        }))}
        text={(value) => (isMoney ? format.money(value) : format.number(value))}
        currency={isMoney ? company.currency : null}
      />
    </Section>
  );
}
